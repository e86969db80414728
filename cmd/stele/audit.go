package main

import (
	"github.com/spf13/cobra"
)

func newAudit(w world, f *flags) *cobra.Command {
	return &cobra.Command{Use: "audit"}
}

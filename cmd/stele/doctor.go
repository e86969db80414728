package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
)

func (p *program) doctor() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use: "doctor", Short: "Say what is missing, slow, old or open, and what to do", Args: cobra.NoArgs,
		Long: "Looks at the configuration, the data folder and its disk, who can reach what, the database, everything that is sealed, providers, files,\n" +
			"usage that waits, and whether the sums agree. The server may run meanwhile. Ends with status 1 if there is a problem.",
		RunE: func(c *cobra.Command, _ []string) error {
			found := assembly.Examine(c.Context(), p.process())
			bad := false
			for _, f := range found {
				bad = bad || f.Level == assembly.Problem
			}
			if err := p.printFindings(c, found); err != nil {
				return err
			}
			if bad {
				return errTold
			}
			return nil
		},
	})
}

func (p *program) printFindings(c *cobra.Command, found []assembly.Finding) error {
	if wantsJSON(c) {
		return printJSON(c, found)
	}
	for _, f := range found {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%-8s %s: %s\n", f.Level, f.Subject, f.Found); err != nil {
			return err
		}
		if f.Do != "" {
			fmt.Fprintf(c.OutOrStdout(), "         → %s\n", f.Do)
		}
	}
	return nil
}

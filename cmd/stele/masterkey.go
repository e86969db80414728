package main

import (
	"fmt"
	"strings"
	"time"

	"stele/internal/assembly"

	"github.com/spf13/cobra"
)

func newMasterKey(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "master-key", Short: "Show, check and change the master key"}
	c.AddCommand(newMasterKeyShow(w, f), newMasterKeyVerify(w, f), newMasterKeyRotate(w, f))
	return c
}

func newMasterKeyShow(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show", Short: "Print the fingerprint of the master key, never the key", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				state := h.Keyring.State()
				if asJSON {
					return printJSON(c, map[string]any{"fingerprint": state.Using, "file": h.MasterKeyFile(), "changing_to": state.To})
				}
				fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", state.Using, h.MasterKeyFile())
				if state.To != "" {
					fmt.Fprintf(c.OutOrStdout(), "It is being changed to %s: stele master-key rotate goes on.\n", state.To)
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newMasterKeyVerify(w world, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Open every sealed value", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				opened, broken, err := h.VerifySealed(c.Context())
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%d sealed values open with the master key %s\n", opened, h.Keyring.State().Using)
				if len(broken) > 0 {
					return fmt.Errorf("%d do not: %s", len(broken), strings.Join(broken, ", "))
				}
				return nil
			})
		},
	}
}

func newMasterKeyRotate(w world, f *flags) *cobra.Command {
	var r assembly.Rotation
	var prepare bool
	c := &cobra.Command{
		Use: "rotate", Short: "Change the master key and seal everything anew", Args: cobra.NoArgs,
		Long: "Makes a new master key, seals everything anew and lets the old key open nothing any more.\n" +
			"Servers go on meanwhile and take the new key by themselves. Killed at any point, it goes on when called again.\n\n" +
			"Servers on other machines need the new key before the old one ends: rotate says which ones lack it, and where to\n" +
			"copy it from. Put it beside their master key file, with .next at the end of its name, or in its place. Then call rotate again.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				r.Installation, r.Out = h, c.OutOrStdout()
				if prepare {
					return r.Prepare(c.Context())
				}
				return r.Run(c.Context())
			})
		},
	}
	c.Flags().BoolVar(&prepare, "prepare", false, "only make the new key and let it open the database beside the old one")
	c.Flags().StringVar(&r.NewKeyFile, "new-key-file", "", "where the new key is written (default: beside the master key, with .next at the end)")
	c.Flags().DurationVar(&r.KeepLinks, "keep-links", 8*24*time.Hour, "how long addresses of files go on working that were signed before")
	c.Flags().DurationVar(&r.Wait, "wait", 10*time.Second, "how long to wait for running servers to take the new key")
	return c
}

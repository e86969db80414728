package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
)

func (p *program) masterKey() *cobra.Command {
	return group("master-key", "Show, check and change the master key", p.masterKeyShow(), p.masterKeyVerify(), p.masterKeyRotate())
}

func (p *program) masterKeyShow() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "show", Short: "Print the fingerprint of the master key, never the key", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			state := h.Keyring.State()
			text := fmt.Sprintf("%s  %s\n", state.Using, h.MasterKeyFile())
			if state.To != "" {
				text += fmt.Sprintf("It is being changed to %s: stele master-key rotate goes on.\n", state.To)
			}
			return say(c, map[string]any{"fingerprint": state.Using, "file": h.MasterKeyFile(), "changing_to": state.To}, "%s", text)
		})
}

func (p *program) masterKeyVerify() *cobra.Command {
	return p.onInstallation(&cobra.Command{Use: "verify", Short: "Open every sealed value", Args: cobra.NoArgs},
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
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
}

func (p *program) masterKeyRotate() *cobra.Command {
	var r assembly.Rotation
	var prepare bool
	c := p.onInstallation(&cobra.Command{
		Use: "rotate", Short: "Change the master key and seal everything anew", Args: cobra.NoArgs,
		Long: "Makes a new master key, seals everything anew and lets the old key open nothing any more.\n" +
			"Servers go on meanwhile and take the new key by themselves. Killed at any point, it goes on when called again.\n\n" +
			"Servers on other machines need the new key before the old one ends: rotate says which ones lack it, and where to\n" +
			"copy it from. Put it beside their master key file, with .next at the end of its name, or in its place. Then call rotate again.",
	}, func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		r.Installation, r.Out = h, c.OutOrStdout()
		if prepare {
			return r.Prepare(c.Context())
		}
		return r.Run(c.Context())
	})
	c.Flags().BoolVar(&prepare, "prepare", false, "only make the new key and let it open the database beside the old one")
	c.Flags().StringVar(&r.NewKeyFile, "new-key-file", "", "where the new key is written (default: beside the master key, with .next at the end)")
	c.Flags().DurationVar(&r.KeepLinks, "keep-links", 8*24*time.Hour, "how long addresses of files go on working that were signed before")
	c.Flags().DurationVar(&r.Wait, "wait", 10*time.Second, "how long to wait for running servers to take the new key")
	return c
}

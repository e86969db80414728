package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/store"
)

func newMasterKey(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "master-key", Short: "Show, check and change the master key"}
	c.AddCommand(newMasterKeyShow(w, f), newMasterKeyVerify(w, f), newMasterKeyRotate(w, f))
	return c
}

// withHouse runs a command on the data folder and its database.
func withHouse(ctx context.Context, w world, f *flags, do func(*house) error) error {
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.store.Close()
	return do(h)
}

func newMasterKeyShow(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show", Short: "Print the fingerprint of the master key, never the key", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withHouse(c.Context(), w, f, func(h *house) error {
				state := h.master.State()
				if asJSON {
					return printJSON(c, map[string]any{"fingerprint": state.Using, "file": h.files.path, "changing_to": state.To})
				}
				fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", state.Using, h.files.path)
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
			return withHouse(c.Context(), w, f, func(h *house) error {
				opened, broken, err := h.verifySealed(c.Context())
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%d sealed values open with the master key %s\n", opened, h.master.State().Using)
				if len(broken) > 0 {
					return fmt.Errorf("%d do not: %s", len(broken), strings.Join(broken, ", "))
				}
				return nil
			})
		},
	}
}

func newMasterKeyRotate(w world, f *flags) *cobra.Command {
	var r rotation
	var prepare bool
	c := &cobra.Command{
		Use: "rotate", Short: "Change the master key and seal everything anew", Args: cobra.NoArgs,
		Long: "Makes a new master key, seals everything anew and lets the old key open nothing any more.\n" +
			"Servers go on meanwhile and take the new key by themselves. Killed at any point, it goes on when called again.\n\n" +
			"Servers on other machines need the new key before the old one ends: rotate says which ones lack it, and where to\n" +
			"copy it from. Put it beside their master key file, with .next at the end of its name, or in its place. Then call rotate again.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withHouse(c.Context(), w, f, func(h *house) error {
				r.house, r.out, r.now = h, c.OutOrStdout(), time.Now
				if prepare {
					return r.prepare(c.Context())
				}
				return r.run(c.Context())
			})
		},
	}
	c.Flags().BoolVar(&prepare, "prepare", false, "only make the new key and let it open the database beside the old one")
	c.Flags().StringVar(&r.file, "new-key-file", "", "where the new key is written (default: beside the master key, with .next at the end)")
	c.Flags().DurationVar(&r.links, "keep-links", 8*24*time.Hour, "how long addresses of files go on working that were signed before")
	c.Flags().DurationVar(&r.patience, "wait", 10*time.Second, "how long to wait for running servers to take the new key")
	return c
}

// verifySealed opens every sealed value and names those that do not open.
func (h *house) verifySealed(ctx context.Context) (opened int, broken []string, err error) {
	for _, column := range store.SealedColumns() {
		box := h.master.Box(column.Purpose)
		err := h.store.EachSealed(ctx, column, func(s store.Sealed) ([]byte, error) {
			if box.Verify(s.Value) != nil {
				broken = append(broken, s.Name)
			} else {
				opened++
			}
			return nil, nil
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return opened, broken, nil
}

// printTo is what commands say as they go on.
func printTo(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

var errLagging = errors.New("the old master key still counts")

// note writes a change of the master key into the audit log.
func (h *house) note(ctx context.Context, action, detail string, changes ...access.Change) error {
	who := access.CommandLine(access.DefaultWorkspace)
	return h.access.Note(ctx, who, action, "master key", detail, changes...)
}

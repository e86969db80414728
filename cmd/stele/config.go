package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/guard"
)

func newConfig(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Check and reload the configuration"}
	c.AddCommand(
		&cobra.Command{
			Use: "check", Short: "Say everything that is wrong with the configuration", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return checkConfig(c, w, f) },
		},
		&cobra.Command{
			Use: "reload", Short: "Let the running server take the changed configuration", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return reloadConfig(c, w, f) },
		},
	)
	return c
}

func checkConfig(c *cobra.Command, w world, f *flags) error {
	cfg, err := f.load(w)
	if err == nil {
		_, err = assembly.ReadContents(cfg)
	}
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return errTold
	}
	name := cfg.File
	if name == "" {
		name = "no file: the defaults"
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: ok (%d providers, %d models)\n", name, len(cfg.Providers), len(cfg.Models))
	return err
}

func reloadConfig(c *cobra.Command, w world, f *flags) error {
	cfg, err := f.load(w)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return errTold
	}
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, "http://stele/reload", nil)
	if err != nil {
		return err
	}
	answer, err := guard.Local(filepath.Join(cfg.Data, "control.sock")).Do(request)
	if err != nil {
		return fmt.Errorf("no server is running on %s: %w", cfg.Data, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New("nothing was changed:\n" + string(text))
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "reloaded\n%s", text)
	return err
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/guard"
)

func (p *program) configuration() *cobra.Command {
	return group("config", "Check and reload the configuration",
		&cobra.Command{Use: "check", Short: "Say everything that is wrong with the configuration", Args: cobra.NoArgs, RunE: p.checkConfig},
		&cobra.Command{Use: "reload", Short: "Let the running server take the changed configuration", Args: cobra.NoArgs, RunE: p.reloadConfig})
}

func (p *program) checkConfig(c *cobra.Command, _ []string) error {
	cfg, err := p.load()
	if err == nil {
		_, err = assembly.ReadContents(cfg)
	}
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return errTold
	}
	return say(c, nil, "%s: ok (%d providers, %d models)\n", cmp.Or(cfg.File, "no file: the defaults"), len(cfg.Providers), len(cfg.Models))
}

func (p *program) reloadConfig(c *cobra.Command, _ []string) error {
	cfg, err := p.load()
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
	return say(c, nil, "reloaded\n%s", text)
}

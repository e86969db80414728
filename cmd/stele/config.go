package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
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
	said, done, err := assembly.Control(c.Context(), cfg, "reload")
	if err != nil {
		return err
	}
	if !done {
		return errors.New("nothing was changed:\n" + said)
	}
	return say(c, nil, "reloaded\n%s", said)
}

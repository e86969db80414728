package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
)

// healthcheck is for images, which have no curl.
func (p *program) healthcheck() *cobra.Command {
	var ready bool
	c := &cobra.Command{
		Use: "healthcheck", Short: "Ask the server on this machine whether it lives", Args: cobra.NoArgs,
		Long: "Asks /healthz at the configured listen address, as a container's health check. Ends with 0 if the server answers, with 1 if not.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(c.Context(), 5*time.Second)
			defer cancel()
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			if err := assembly.Probe(ctx, cfg, path); err != nil {
				return err
			}
			return say(c, nil, "ok\n")
		},
	}
	c.Flags().BoolVar(&ready, "ready", false, "ask /readyz: whether it serves, not only whether it lives")
	return c
}

package main

import (
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func (p *program) webhooks() *cobra.Command {
	return group("webhooks", "Manage endpoints, show the signing secret, list deliveries and send them again",
		p.webhooksEndpoints(), p.webhooksSecret(), p.webhooksDeliveries(), p.webhooksReplay())
}

func (p *program) webhooksSecret() *cobra.Command {
	var workspace string
	var rotate bool
	var grace time.Duration
	c := p.onTasks(jsonFlag(&cobra.Command{
		Use: "secret", Short: "Print what the messages to an order's webhook_url are signed with", Args: cobra.NoArgs,
		Long: "Print the secret that messages to the webhook_url of orders are signed with, after the Standard Webhooks scheme.\n" +
			"Endpoints have secrets of their own, which are shown once.\n" +
			"With --rotate a new one is made; until --grace is over messages carry a signature of each.",
	}), func(c *cobra.Command, s assembly.TaskServices, _ []string) (err error) {
		var secret string
		if rotate {
			secret, err = s.Webhooks.Rotate(c.Context(), workspace, grace)
		} else {
			secret, err = s.Webhooks.Secret(c.Context(), workspace)
		}
		if err != nil {
			return err
		}
		return say(c, map[string]string{"secret": secret}, "%s\n", secret)
	})
	c.Flags().StringVar(&workspace, "workspace", access.DefaultWorkspace, "whose")
	c.Flags().BoolVar(&rotate, "rotate", false, "make a new one")
	c.Flags().DurationVar(&grace, "grace", 24*time.Hour, "how long the old one still signs beside the new one")
	return c
}

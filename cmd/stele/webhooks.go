package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/webhook"
)

func (p *program) webhooks() *cobra.Command {
	return group("webhooks", "Show the signing secret, list deliveries and send one again", p.webhooksSecret(), p.webhooksList(), p.webhooksReplay())
}

func (p *program) webhooksSecret() *cobra.Command {
	var workspace string
	var rotate bool
	var grace time.Duration
	c := p.onTasks(jsonFlag(&cobra.Command{
		Use: "secret", Short: "Print what a workspace's webhooks are signed with", Args: cobra.NoArgs,
		Long: "Print the secret that a workspace's webhooks are signed with, after the Standard Webhooks scheme.\n" +
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

// wireDelivery is a delivery as scripts read it.
type wireDelivery struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Generation  string  `json:"generation"`
	Workspace   string  `json:"workspace"`
	URL         string  `json:"url"`
	State       string  `json:"state"`
	Tries       int     `json:"tries"`
	Status      int     `json:"status"`
	Problem     string  `json:"problem"`
	CreatedAt   string  `json:"created_at"`
	TriedAt     *string `json:"tried_at"`
	DeliveredAt *string `json:"delivered_at"`
}

func toWireDelivery(d webhook.Delivery) wireDelivery {
	return wireDelivery{
		ID: d.ID, Type: d.Type, Generation: d.Subject, Workspace: d.Workspace, URL: d.URL, State: string(d.State), Tries: d.Tries,
		Status: d.Status, Problem: d.Problem, CreatedAt: stamp(d.Created), TriedAt: maybe(d.Tried), DeliveredAt: maybe(d.Delivered),
	}
}

func (p *program) webhooksList() *cobra.Command {
	var workspace string
	var limit int
	c := p.onTasks(jsonFlag(&cobra.Command{Use: "list", Short: "List the latest deliveries", Args: cobra.NoArgs}),
		func(c *cobra.Command, s assembly.TaskServices, _ []string) error {
			found, err := s.Store.Deliveries(c.Context(), workspace, limit)
			if err != nil {
				return err
			}
			return table(c, each(found, toWireDelivery), "", "ID\tTYPE\tGENERATION\tSTATE\tTRIES\tSTATUS\tCREATED\tURL\tPROBLEM",
				func(v wireDelivery) []string {
					return []string{v.ID, v.Type, v.Generation, v.State, strconv.Itoa(v.Tries), strconv.Itoa(v.Status), v.CreatedAt, v.URL, v.Problem}
				})
		})
	c.Flags().StringVar(&workspace, "workspace", "", "only those of this workspace")
	c.Flags().IntVar(&limit, "limit", 20, "how many")
	return c
}

func (p *program) webhooksReplay() *cobra.Command {
	return p.onTasks(&cobra.Command{Use: "replay ID", Short: "Send a delivery once more, under the same id", Args: cobra.ExactArgs(1)},
		func(c *cobra.Command, s assembly.TaskServices, args []string) error {
			err := s.Store.Replay(c.Context(), args[0])
			if errors.Is(err, access.ErrNotFound) {
				return fmt.Errorf("there is no delivery %q: stele webhooks list shows them", args[0])
			}
			if err != nil {
				return err
			}
			return say(c, nil, "%s will be sent again\n", args[0])
		})
}

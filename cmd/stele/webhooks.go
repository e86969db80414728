package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/webhook"
)

func newWebhooks(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "webhooks", Short: "Show the signing secret, list deliveries and send one again"}
	c.AddCommand(newWebhooksSecret(w, f), newWebhooksList(w, f), newWebhooksReplay(w, f))
	return c
}

func newWebhooksSecret(w world, f *flags) *cobra.Command {
	var workspace string
	var rotate, asJSON bool
	var grace time.Duration
	c := &cobra.Command{
		Use: "secret", Short: "Print what a workspace's webhooks are signed with", Args: cobra.NoArgs,
		Long: "Print the secret that a workspace's webhooks are signed with, after the Standard Webhooks scheme.\n" +
			"With --rotate a new one is made; until --grace is over messages carry a signature of each.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				var secret string
				var err error
				if rotate {
					secret, err = s.Webhooks.Rotate(c.Context(), workspace, grace)
				} else {
					secret, err = s.Webhooks.Secret(c.Context(), workspace)
				}
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(c, map[string]string{"secret": secret})
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), secret)
				return err
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", access.DefaultWorkspace, "whose")
	c.Flags().BoolVar(&rotate, "rotate", false, "make a new one")
	c.Flags().DurationVar(&grace, "grace", 24*time.Hour, "how long the old one still signs beside the new one")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
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

func newWebhooksList(w world, f *flags) *cobra.Command {
	var workspace string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the latest deliveries", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				found, err := h.Store.Deliveries(c.Context(), workspace, limit)
				if err != nil {
					return err
				}
				list := make([]wireDelivery, len(found))
				for i, one := range found {
					list[i] = toWireDelivery(one)
				}
				if asJSON {
					return printJSON(c, list)
				}
				t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
				fmt.Fprintln(t, "ID\tTYPE\tGENERATION\tSTATE\tTRIES\tSTATUS\tCREATED\tURL\tPROBLEM")
				for _, v := range list {
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", v.ID, v.Type, v.Generation, v.State, v.Tries, v.Status, v.CreatedAt, v.URL, v.Problem)
				}
				return t.Flush()
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "only those of this workspace")
	c.Flags().IntVar(&limit, "limit", 20, "how many")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newWebhooksReplay(w world, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "replay ID", Short: "Send a delivery once more, under the same id", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				err := h.Store.Replay(c.Context(), args[0])
				if errors.Is(err, access.ErrNotFound) {
					return fmt.Errorf("there is no delivery %q: stele webhooks list shows them", args[0])
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "%s will be sent again\n", args[0])
				return err
			})
		},
	}
}

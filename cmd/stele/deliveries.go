package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/webhook"
	"stele/internal/wire"
)

// wireDelivery is a delivery as scripts read it.
type wireDelivery struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Generation  string  `json:"generation"`
	Subject     string  `json:"subject"`
	Workspace   string  `json:"workspace"`
	Endpoint    *string `json:"endpoint"` // null: the webhook_url of an order, or a person's mail
	URL         string  `json:"url"`
	State       string  `json:"state"`
	Tries       int     `json:"tries"`
	Status      int     `json:"status"`
	Problem     string  `json:"problem"`
	Answer      string  `json:"answer"`
	CreatedAt   string  `json:"created_at"`
	TriedAt     *string `json:"tried_at"`
	NextAt      *string `json:"next_at"`
	DeliveredAt *string `json:"delivered_at"`
}

func toWireDelivery(d webhook.Delivery) wireDelivery {
	w := wireDelivery{
		ID: d.ID, Type: d.Type, Generation: d.Subject, Subject: d.Subject, Workspace: d.Workspace, Endpoint: textOrNil(d.Endpoint), URL: d.URL, State: string(d.State), Tries: d.Tries,
		Status: d.Status, Problem: d.Problem, Answer: d.Answer, CreatedAt: wire.Time(d.Created), TriedAt: maybe(d.Tried), NextAt: maybe(d.Next),
		DeliveredAt: maybe(d.Delivered),
	}
	if d.Type == webhook.LimitReached {
		w.Generation = ""
	}
	return w
}

// deliveryFlags pick deliveries.
type deliveryFlags struct {
	webhook.Filter

	ago time.Duration
}

func (f *deliveryFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.Workspace, "workspace", "", "only those of this workspace")
	c.Flags().StringVar(&f.Endpoint, "endpoint", "", "only those to this endpoint")
	c.Flags().StringVar((*string)(&f.State), "state", "", "only those that are pending, delivered, given_up or set_aside")
	c.Flags().StringVar(&f.Type, "event", "", "only those of this event: "+words(webhook.Events()))
	c.Flags().DurationVar(&f.ago, "since", 0, "only those made within this time, such as 24h")
}

// filter is what the flags ask for.
func (f *deliveryFlags) filter() (webhook.Filter, error) {
	if f.ago > 0 {
		f.Since = time.Now().Add(-f.ago)
	}
	if f.Type != "" && !slices.Contains(webhook.Events(), f.Type) {
		return f.Filter, fmt.Errorf("--event %s: the events are %s", f.Type, words(webhook.Events()))
	}
	switch f.State {
	case "", webhook.Pending, webhook.Delivered, webhook.GivenUp, webhook.SetAside:
		return f.Filter, nil
	}
	return f.Filter, fmt.Errorf("--state %s: a delivery is pending, delivered, given_up or set_aside", f.State)
}

func (p *program) webhooksDeliveries() *cobra.Command {
	var f deliveryFlags
	c := p.onTasks(jsonFlag(&cobra.Command{Use: "deliveries", Aliases: []string{"list"}, Short: "List the latest deliveries", Args: cobra.NoArgs}),
		func(c *cobra.Command, s assembly.TaskServices, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			found, err := s.Store.Deliveries(c.Context(), filter)
			if err != nil {
				return err
			}
			return printTable(c, each(found, toWireDelivery), "", "ID\tTYPE\tSUBJECT\tSTATE\tTRIES\tSTATUS\tCREATED\tNEXT\tURL\tPROBLEM",
				func(v wireDelivery) []string {
					return []string{v.ID, v.Type, v.Subject, v.State, strconv.Itoa(v.Tries), strconv.Itoa(v.Status), v.CreatedAt, orText(v.NextAt, "-"), v.URL, v.Problem}
				})
		})
	f.add(c)
	c.Flags().IntVar(&f.Limit, "limit", 20, "how many")
	return c
}

func (p *program) webhooksReplay() *cobra.Command {
	var f deliveryFlags
	c := p.onTasks(jsonFlag(&cobra.Command{
		Use: "replay [ID]", Short: "Send deliveries once more, under the same ids", Args: cobra.MaximumNArgs(1),
		Long: "Send a delivery once more, or all that the flags pick, under the same ids and with the same bodies.\n" +
			"What is on its way already is left alone.",
		Example: "  stele webhooks replay msg_…\n  stele webhooks replay --endpoint ep_… --state given_up --since 72h",
	}), func(c *cobra.Command, s assembly.TaskServices, args []string) error {
		filter, err := f.filter()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			if filter == (webhook.Filter{}) {
				return errors.New("name a delivery, or say with flags which ones are meant")
			}
			n, err := s.Store.ReplayAll(c.Context(), filter)
			if err != nil {
				return err
			}
			return say(c, map[string]int{"replayed": n}, "%d will be sent again\n", n)
		}
		if filter != (webhook.Filter{}) {
			return errors.New("name a delivery, or say with flags which ones are meant: not both")
		}
		err = s.Store.Replay(c.Context(), args[0])
		if errors.Is(err, access.ErrNotFound) {
			return fmt.Errorf("there is no delivery %q: stele webhooks deliveries shows them", args[0])
		}
		if err != nil {
			return err
		}
		return say(c, map[string]int{"replayed": 1}, "%s will be sent again\n", args[0])
	})
	f.add(c)
	return c
}

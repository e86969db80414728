package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/webhook"
	"stele/internal/wire"
)

func (p *program) webhooksEndpoints() *cobra.Command {
	return group("endpoints", "List, make and change where messages of a workspace go",
		p.endpointsList(), p.endpointsCreate(), p.endpointsEdit(), p.endpointsRotate(), p.endpointsDelete())
}

// wireEndpoint is an endpoint as scripts read it.
type wireEndpoint struct {
	ID        string   `json:"id"`
	Workspace *string  `json:"workspace"` // null: the installation
	URL       string   `json:"url"`
	Events    []string `json:"events"` // none: all
	Enabled   bool     `json:"enabled"`
	CreatedBy string   `json:"created_by"`
	CreatedAt string   `json:"created_at"`
	OldUntil  *string  `json:"old_secret_until"`
	GivenUp   int      `json:"given_up"`
	Secret    string   `json:"secret,omitempty"` // where it is new
}

func toWireEndpoint(e webhook.Endpoint) wireEndpoint {
	return wireEndpoint{
		ID: e.ID, Workspace: textOrNil(e.Workspace), URL: e.URL, Events: append([]string{}, e.Events...), Enabled: e.Enabled, CreatedBy: e.Creator, CreatedAt: wire.Time(e.Created),
		OldUntil: maybe(e.OldUntil), GivenUp: e.GivenUp,
	}
}

// whose adds the flags that say whose endpoints are meant.
func whose(c *cobra.Command, workspace *string) *cobra.Command {
	c.Flags().StringVar(workspace, "workspace", access.DefaultWorkspace, "whose")
	c.Flags().Bool("installation", false, "those of the installation, which hear of limits that are about all workspaces")
	return c
}

func workspaceOf(c *cobra.Command, workspace string) string {
	if all, err := c.Flags().GetBool("installation"); err == nil && all {
		return ""
	}
	return workspace
}

func (p *program) endpointsList() *cobra.Command {
	var workspace string
	return whose(p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List endpoints", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			list, err := h.Endpoints().List(c.Context(), operator(), workspaceOf(c, workspace))
			if err != nil {
				return err
			}
			return printTable(c, each(list, toWireEndpoint), "There are no endpoints.", "ID\tURL\tEVENTS\tENABLED\tGIVEN UP\tCREATED", func(w wireEndpoint) []string {
				events := cmp.Or(strings.Join(w.Events, " "), "(all)")
				return []string{w.ID, w.URL, events, strconv.FormatBool(w.Enabled), strconv.Itoa(w.GivenUp), w.CreatedAt}
			})
		}), &workspace)
}

func (p *program) endpointsCreate() *cobra.Command {
	var e webhook.Endpoint
	var workspace string
	c := whose(p.onInstallation(jsonFlag(&cobra.Command{
		Use: "create --url URL", Short: "Make an endpoint and print its secret, once", Args: cobra.NoArgs,
		Long: "Make an endpoint: a server that is told of events of a workspace, signed after the Standard Webhooks scheme,\n" +
			"or a mailbox (mailto:ops@example.com), which is told of limits. The secret is printed now and never again.",
		Example: "  stele webhooks endpoints create --url https://example.com/stele --event limit.reached --event generation.failed",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		e.Workspace = workspaceOf(c, workspace)
		made, secret, err := h.Endpoints().Create(c.Context(), operator(), e)
		if err != nil {
			return err
		}
		return sayEndpoint(c, made, secret)
	}), &workspace)
	c.Flags().StringVar(&e.URL, "url", "", "where messages go: https://… or mailto:…")
	c.Flags().StringSliceVar(&e.Events, "event", nil, "only these events: "+words(webhook.Events()))
	_ = c.MarkFlagRequired("url")
	return c
}

func sayEndpoint(c *cobra.Command, e webhook.Endpoint, secret string) error {
	w := toWireEndpoint(e)
	w.Secret = secret
	if secret == "" {
		return say(c, w, "%s\n", e.ID)
	}
	if err := say(c, w, "%s\n%s\n", e.ID, secret); err != nil { // no caller has it
		return fmt.Errorf("the secret of %s could not be printed; stele webhooks endpoints rotate %s makes another: %w", e.ID, e.ID, err)
	}
	return nil
}

func (p *program) endpointsEdit() *cobra.Command {
	var next webhook.Endpoint
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "edit ID", Short: "Change an endpoint, or switch it off and on", Args: cobra.ExactArgs(1),
		Long: "Change the address or the events of an endpoint, or switch it off (--enabled=false) and on. Messages that are under way go to the new address.",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		e, err := h.Endpoints().Find(c.Context(), operator(), args[0])
		if err != nil {
			return err
		}
		take(c, "url", &e.URL, next.URL)
		take(c, "event", &e.Events, next.Events)
		take(c, "enabled", &e.Enabled, next.Enabled)
		if e, err = h.Endpoints().Change(c.Context(), operator(), e); err != nil {
			return err
		}
		return say(c, toWireEndpoint(e), "%s is changed\n", e.ID)
	})
	c.Flags().StringVar(&next.URL, "url", "", "where messages go")
	c.Flags().StringSliceVar(&next.Events, "event", nil, "only these events; --event= for all")
	c.Flags().BoolVar(&next.Enabled, "enabled", true, "whether it gets messages")
	return c
}

func (p *program) endpointsRotate() *cobra.Command {
	var grace time.Duration
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "rotate ID", Short: "Make a new secret and print it, once", Args: cobra.ExactArgs(1),
		Long: "Make a new secret. Until --grace is over messages carry a signature of the old one as well.",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		e, secret, err := h.Endpoints().Rotate(c.Context(), operator(), args[0], grace)
		if err != nil {
			return err
		}
		return sayEndpoint(c, e, secret)
	})
	c.Flags().DurationVar(&grace, "grace", 24*time.Hour, "how long the old one still signs beside the new one")
	return c
}

func (p *program) endpointsDelete() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "delete ID", Short: "Take an endpoint away; what is under way to it is given up", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			if err := h.Endpoints().Delete(c.Context(), operator(), args[0]); err != nil {
				return err
			}
			return say(c, map[string]string{"id": args[0]}, "%s is gone\n", args[0])
		})
}

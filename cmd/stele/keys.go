package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func newKeys(w world, f *flags) *cobra.Command {
	keys := &cobra.Command{Use: "keys", Short: "Make, list, edit, rotate and revoke API keys", Long: "Make, list, edit, rotate and revoke API keys. " +
		"What a command prints is known to every running server before it is printed."}
	keys.AddCommand(newKeysCreate(w, f), newKeysList(w, f), newKeysEdit(w, f), newKeysRotate(w, f), newKeysRevoke(w, f))
	return keys
}

func newKeysCreate(w world, f *flags) *cobra.Command {
	var n access.NewKey
	var environment string
	var scopes []string
	var asJSON bool
	c := &cobra.Command{
		Use: "create --name NAME", Short: "Make a key and print it once", Args: cobra.NoArgs,
		Example: "  stele keys create --name ci --env production --scope chat,models --allow-model 'fast' --expires 720h --json\n" +
			"  stele keys create --name office --allow-cidr 192.0.2.0/24 --idle-expires 720h",
		RunE: func(c *cobra.Command, _ []string) error {
			n.Environment = access.Environment(environment)
			for _, s := range scopes {
				n.Scope.Groups = append(n.Scope.Groups, access.Group(s))
			}
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				k, secret, err := h.Access.CreateKey(c.Context(), access.CommandLine(access.DefaultWorkspace), n)
				if err != nil {
					return err
				}
				h.Settle(c.Context())
				return printKey(c, k, secret, asJSON)
			})
		},
	}
	c.Flags().StringVar(&n.Name, "name", "", "what people recognise it by")
	c.Flags().StringVar(&environment, "env", "development", "development or production")
	c.Flags().StringVar(&n.Workspace, "workspace", access.DefaultWorkspace, "made if it does not exist")
	c.Flags().StringSliceVar(&scopes, "scope", nil, "route groups it opens: chat,models,files,media,apps (default all)")
	c.Flags().StringArrayVar(&n.Scope.Models, "allow-model", nil, "models it opens, * stands for any characters; may be repeated (default all)")
	c.Flags().DurationVar(&n.Lifetime, "expires", 0, "how long it works, such as 720h (default for ever)")
	c.Flags().DurationVar(&n.Idle, "idle-expires", 0, "it ends when unused for so long, such as 720h (default never)")
	c.Flags().StringSliceVar(&n.CIDRs, "allow-cidr", nil, "addresses it may be used from, such as 192.0.2.0/24; may be repeated (default all)")
	c.Flags().BoolVar(&n.Sandbox, "sandbox", false, "every model is the sandbox: nothing costs anything")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newKeysList(w world, f *flags) *cobra.Command {
	var workspace string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List keys", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				keys, err := h.Access.Keys(c.Context(), access.CommandLine(access.DefaultWorkspace), workspace)
				if err != nil {
					return err
				}
				if asJSON {
					list := make([]wireKey, len(keys))
					for i, k := range keys {
						list[i] = toWireKey(k, "")
					}
					return printJSON(c, list)
				}
				return printKeys(c, keys)
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "only the keys of this workspace")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newKeysRotate(w world, f *flags) *cobra.Command {
	var rotation access.Rotation
	var asJSON bool
	c := &cobra.Command{
		Use: "rotate ID", Short: "Give a key a new secret and print it once", Args: cobra.ExactArgs(1),
		Long: "Give a key a new secret and print it once. Every secret that works goes on working until the new one was used once,\n" +
			"and from then on until its grace ends: a lost answer shuts nobody out. A leaked secret is ended with --at-once.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				k, secret, err := h.Access.RotateKey(c.Context(), access.CommandLine(access.DefaultWorkspace), args[0], rotation)
				if err != nil {
					return noSuchKey(args[0], err)
				}
				h.Settle(c.Context())
				return printKey(c, k, secret, asJSON)
			})
		},
	}
	c.Flags().DurationVar(&rotation.Grace, "grace", 0, "how long the old secret still works once the new one was used, such as 24h (default: not at all)")
	c.Flags().BoolVar(&rotation.AtOnce, "at-once", false, "the old secrets end now, whether the new one was used or not")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newKeysRevoke(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "revoke ID", Short: "End a key and all its secrets", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				k, err := h.Access.RevokeKey(c.Context(), access.CommandLine(access.DefaultWorkspace), args[0])
				if err != nil {
					return noSuchKey(args[0], err)
				}
				h.Settle(c.Context())
				if asJSON {
					return printJSON(c, toWireKey(k, ""))
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "revoked %s (%s)\n", k.ID, k.Name)
				return err
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func noSuchKey(id string, err error) error {
	if errors.Is(err, access.ErrNotFound) {
		return fmt.Errorf("there is no key %q: stele keys list shows them", id)
	}
	return err
}

// wireKey is a key as scripts read it: what it opens is spelled out, and every
// field is there, null where it has no value.
type wireKey struct {
	ID          string   `json:"id"`
	Key         string   `json:"key,omitempty"`
	Name        string   `json:"name"`
	Workspace   string   `json:"workspace"`
	Environment string   `json:"environment"`
	Sandbox     bool     `json:"sandbox"`
	Scopes      []string `json:"scopes"`
	Models      []string `json:"models"`
	CreatedAt   string   `json:"created_at"`
	ExpiresAt   *string  `json:"expires_at"`
	LastUsedAt  *string  `json:"last_used_at"`
	Status      string   `json:"status"`
	CreatedBy   *string  `json:"created_by"`
	IdleExpires *string  `json:"idle_expires"`
	CIDRs       []string `json:"addresses"`
	Secrets     int      `json:"secrets"` // that work
}

func toWireKey(k access.Key, secret string) wireKey {
	out := wireKey{
		ID: k.ID, Key: secret, Name: k.Name, Workspace: k.Workspace, Environment: string(k.Environment), Sandbox: k.Sandbox,
		Models: k.Scope.Models, CreatedAt: stamp(k.CreatedAt), ExpiresAt: maybe(k.End()), LastUsedAt: maybe(k.LastUsedAt),
		Status: k.Status(time.Now()), CIDRs: k.CIDRs, Secrets: len(k.Alive(time.Now())),
	}
	if by := cmp.Or(k.CreatorName, k.Creator); by != "" {
		out.CreatedBy = &by
	}
	if idle := k.IdleAfter(); idle > 0 {
		text := idle.String()
		out.IdleExpires = &text
	}
	for _, g := range access.Groups() {
		if k.Scope.Allows(g) {
			out.Scopes = append(out.Scopes, string(g))
		}
	}
	if len(out.Models) == 0 {
		out.Models = []string{"*"}
	}
	if len(out.CIDRs) == 0 {
		out.CIDRs = []string{}
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func maybe(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

func printKey(c *cobra.Command, k access.Key, secret string, asJSON bool) error {
	if asJSON {
		return printJSON(c, toWireKey(k, secret))
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n\nThis is the key %s (%s). It is not kept and cannot be shown again.\n", secret, k.ID, k.Name)
	return err
}

func printKeys(c *cobra.Command, keys []access.Key) error {
	if len(keys) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "There are no keys yet: stele keys create --name NAME makes one.")
		return err
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tWORKSPACE\tENVIRONMENT\tSCOPES\tMODELS\tLAST USED\tSTATUS\tMADE BY\tFROM")
	for _, k := range keys {
		v, used, from, by := toWireKey(k, ""), "never", "anywhere", "unknown"
		if v.LastUsedAt != nil {
			used = *v.LastUsedAt
		}
		if len(v.CIDRs) > 0 {
			from = strings.Join(v.CIDRs, ",")
		}
		if v.CreatedBy != nil {
			by = *v.CreatedBy
		}
		fmt.Fprintln(t, strings.Join([]string{
			v.ID, v.Name, v.Workspace, v.Environment, strings.Join(v.Scopes, ","), strings.Join(v.Models, ","), used, v.Status, by, from,
		}, "\t"))
	}
	return t.Flush()
}

func printJSON(c *cobra.Command, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", b)
	return err
}

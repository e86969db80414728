package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/wire"
)

func (p *program) keys() *cobra.Command {
	c := group("keys", "Make, list, edit, rotate and revoke API keys", p.keysCreate(), p.keysList(), p.keysEdit(), p.keysRotate(), p.keysRevoke())
	c.Long = "Make, list, edit, rotate and revoke API keys. What a command prints is known to every running server before it is printed."
	return c
}

func (p *program) keysCreate() *cobra.Command {
	var n access.NewKey
	var environment string
	var scopes []string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "create --name NAME", Short: "Make a key and print it once", Args: cobra.NoArgs,
		Example: "  stele keys create --name ci --env production --scope chat,models --allow-model 'fast' --expires 720h --json\n" +
			"  stele keys create --name office --allow-cidr 192.0.2.0/24 --idle-expires 720h",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		if err := refuseEmpty(c.Flags(), "scope", "allow-cidr"); err != nil {
			return err
		}
		n.Environment = access.Environment(environment)
		for _, s := range scopes {
			n.Scope.Groups = append(n.Scope.Groups, access.Group(s))
		}
		k, secret, err := h.Access.CreateKey(c.Context(), operator(), n)
		if err != nil {
			return err
		}
		h.Settle(c.Context())
		if err := printKey(c, k, secret); err != nil { // no caller has it
			_, again := h.Access.RevokeKey(c.Context(), operator(), k.ID)
			return errors.Join(fmt.Errorf("the key %s could not be printed, and is revoked: %w", k.ID, err), again)
		}
		return nil
	})
	flags := c.Flags()
	flags.StringVar(&n.Name, "name", "", "what people recognise it by")
	flags.StringVar(&environment, "env", "development", "development or production")
	flags.StringVar(&n.Workspace, "workspace", access.DefaultWorkspace, madeOnDemand)
	flags.StringSliceVar(&scopes, "scope", nil, "route groups it opens: chat,models,files,media,apps (default all)")
	flags.StringArrayVar(&n.Scope.Models, "allow-model", nil, "models it opens, * stands for any characters; may be repeated (default all)")
	flags.DurationVar(&n.Lifetime, "expires", 0, "how long it works, such as 720h (default for ever)")
	flags.DurationVar(&n.Idle, "idle-expires", 0, "it ends when unused for so long, such as 720h (default never)")
	flags.StringSliceVar(&n.CIDRs, "allow-cidr", nil, "addresses it may be used from, such as 192.0.2.0/24; may be repeated (default all)")
	flags.BoolVar(&n.Sandbox, "sandbox", false, "every model is the sandbox: nothing costs anything")
	return c
}

func (p *program) keysList() *cobra.Command {
	var workspace string
	c := p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List keys", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			keys, err := h.Access.Keys(c.Context(), operator(), workspace)
			if err != nil {
				return err
			}
			list := each(keys, func(k access.Key) wireKey { return toWireKey(k, "") })
			return printTable(c, list, "There are no keys yet: stele keys create --name NAME makes one.",
				"ID\tNAME\tWORKSPACE\tENVIRONMENT\tSCOPES\tMODELS\tLAST USED\tSTATUS\tMADE BY\tFROM", keyRow)
		})
	c.Flags().StringVar(&workspace, "workspace", "", "only the keys of this workspace")
	return c
}

func keyRow(v wireKey) []string {
	from := "anywhere"
	if len(v.CIDRs) > 0 {
		from = strings.Join(v.CIDRs, ",")
	}
	return []string{
		v.ID, v.Name, v.Workspace, v.Environment, strings.Join(v.Scopes, ","), strings.Join(v.Models, ","),
		orText(v.LastUsedAt, "never"), v.Status, orText(v.CreatedBy, "unknown"), from,
	}
}

func (p *program) keysRotate() *cobra.Command {
	var rotation access.Rotation
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "rotate ID", Short: "Give a key a new secret and print it once", Args: cobra.ExactArgs(1),
		Long: "Give a key a new secret and print it once. Every secret that works goes on working until the new one was used once,\n" +
			"and from then on until its grace ends: a lost answer shuts nobody out. A leaked secret is ended with --at-once.",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		k, secret, err := h.Access.RotateKey(c.Context(), operator(), args[0], rotation)
		if err != nil {
			return refuseNoKey(args[0], err)
		}
		h.Settle(c.Context())
		return printKey(c, k, secret)
	})
	c.Flags().DurationVar(&rotation.Grace, "grace", 0, "how long the old secret still works once the new one was used, such as 24h (default: not at all)")
	c.Flags().BoolVar(&rotation.AtOnce, "at-once", false, "the old secrets end now, whether the new one was used or not")
	return c
}

func (p *program) keysRevoke() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "revoke ID", Short: "End a key and all its secrets", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			k, err := h.Access.RevokeKey(c.Context(), operator(), args[0])
			if err != nil {
				return refuseNoKey(args[0], err)
			}
			h.Settle(c.Context())
			return say(c, toWireKey(k, ""), "revoked %s (%s)\n", k.ID, k.Name)
		})
}

// refuseEmpty refuses flags that bound a key and are given as nothing, as a script does whose
// variable is not set: the key would open everything.
func refuseEmpty(set *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if list, err := set.GetStringSlice(name); err == nil && set.Changed(name) && len(toNames[string](list)) == 0 {
			return fmt.Errorf("--%s is empty: leave it out where all are meant", name)
		}
	}
	return nil
}

func refuseNoKey(id string, err error) error {
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
		Models: k.Scope.Models, CreatedAt: wire.Time(k.CreatedAt), ExpiresAt: maybe(k.End()), LastUsedAt: maybe(k.LastUsedAt),
		Status: k.Status(time.Now()), CIDRs: append([]string{}, k.CIDRs...), Secrets: len(k.WorkingSecrets(time.Now())),
		IdleExpires: lengthText(k.IdleAfter()), CreatedBy: textOrNil(cmp.Or(k.CreatorName, k.Creator)),
	}
	for _, g := range access.Groups() {
		if k.Scope.Allows(g) {
			out.Scopes = append(out.Scopes, string(g))
		}
	}
	if len(out.Models) == 0 {
		out.Models = []string{"*"}
	}
	return out
}

func printKey(c *cobra.Command, k access.Key, secret string) error {
	return say(c, toWireKey(k, secret), "%s\n\nThis is the key %s (%s). It is not kept and cannot be shown again.\n", secret, k.ID, k.Name)
}

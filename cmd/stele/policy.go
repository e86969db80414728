package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func (p *program) workspacesPolicy() *cobra.Command {
	c := group("policy", "Show and set what a workspace's keys and people may do at most", p.policyShow(), p.policySet())
	c.Long = "Show and set what a workspace's keys and people may do at most, whatever a key says of itself. It counts for keys that are there already."
	return c
}

func (p *program) policyShow() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "show ID", Short: "Show the policy of a workspace", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			policy, err := h.Access.Policy(c.Context(), access.CommandLine(args[0]), args[0])
			if err != nil {
				return refuseNoWorkspace(args[0], err)
			}
			return printPolicy(c, policy)
		})
}

func (p *program) policySet() *cobra.Command {
	var models, providers, scopes, environments, cidrs, tags []string
	var life, idle, factor string
	var lifetime, unused *time.Duration
	var endWith, capture bool
	c := jsonFlag(&cobra.Command{
		Use: "set ID", Short: "Change the policy of a workspace", Args: cobra.ExactArgs(1),
		Long:    "Change the policy of a workspace. What no flag names stays as it is; a flag with an empty value takes a limit away.",
		Example: "  stele workspaces policy set acme --model 'openai/*' --provider openai --key-life 2160h --end-keys-with-people",
		PreRunE: func(*cobra.Command, []string) (err error) {
			lifetime, unused, err = lengthsOrNever("key-life", life, "key-idle", idle)
			return err
		},
	})
	change := func(p *access.Policy) {
		take(c, "model", &p.Models, withoutEmpty(models))
		take(c, "provider", &p.Providers, withoutEmpty(providers))
		take(c, "tag", &p.Tags, withoutEmpty(tags))
		take(c, "cidr", &p.CIDRs, withoutEmpty(cidrs))
		take(c, "scope", &p.Scopes, toNames[access.Group](scopes))
		take(c, "env", &p.Environments, toNames[access.Environment](environments))
		take(c, "key-life", &p.LifeMS, lifetime.Milliseconds())
		take(c, "key-idle", &p.IdleMS, unused.Milliseconds())
		take(c, "capture", &p.NoCapture, !capture)
		take(c, "charge-factor", &p.ChargeFactor, factor)
		take(c, "end-keys-with-people", &p.EndWithCreator, endWith)
	}
	p.onInstallation(c, func(c *cobra.Command, h *assembly.Installation, args []string) error {
		who := access.CommandLine(args[0])
		policy, err := h.Access.Policy(c.Context(), who, args[0])
		if err != nil {
			return refuseNoWorkspace(args[0], err)
		}
		change(&policy)
		if policy, err = h.Access.SetPolicy(c.Context(), who, args[0], policy); err != nil {
			return err
		}
		h.Settle(c.Context())
		return printPolicy(c, policy)
	})
	flags := c.Flags()
	flags.StringArrayVar(&models, "model", nil, "models that are open, * stands for any characters; may be repeated ('' for all)")
	flags.StringSliceVar(&providers, "provider", nil, "providers that may be asked; stele* is what is built in ('' for all)")
	flags.StringSliceVar(&scopes, "scope", nil, "route groups that are open: chat,models,files,media,apps ('' for all)")
	flags.StringSliceVar(&environments, "env", nil, "keys that are let in: development,production ('' for both)")
	flags.StringSliceVar(&cidrs, "cidr", nil, "addresses keys may be used from, such as 192.0.2.0/24 ('' for all)")
	flags.StringSliceVar(&tags, "tag", nil, "names that X-Stele-Tags may have, such as team,feature ('' for none)")
	flags.StringVar(&life, "key-life", "", "longest life of a key since it was made, such as 2160h, or never")
	flags.StringVar(&idle, "key-idle", "", "a key ends when unused for so long, such as 720h, or never")
	flags.StringVar(&factor, "charge-factor", "", "what the workspace is charged for each dollar of cost, such as 1.2 ('' for 1)")
	flags.BoolVar(&endWith, "end-keys-with-people", false, "keys end with the people who made them")
	flags.BoolVar(&capture, "capture", true, "what is said in chat may be kept, where the installation captures it")
	return c
}

func lengthsOrNever(oneName, one, otherName, other string) (a, b *time.Duration, err error) {
	if a, err = lengthOrNever(oneName, one); err == nil {
		b, err = lengthOrNever(otherName, other)
	}
	return a, b, err
}

func refuseNoWorkspace(id string, err error) error {
	if errors.Is(err, access.ErrNotFound) {
		return fmt.Errorf("there is no workspace %q: stele workspaces list shows them", id)
	}
	return err
}

// wirePolicy is a policy as scripts read it: null and empty forbid nothing.
type wirePolicy struct {
	Models            []string             `json:"models"`
	Providers         []string             `json:"providers"`
	Scopes            []access.Group       `json:"scopes"`
	Environments      []access.Environment `json:"environments"`
	CIDRs             []string             `json:"addresses"`
	KeyLife           *string              `json:"key_life"`
	KeyIdle           *string              `json:"key_idle"`
	EndKeysWithPeople bool                 `json:"end_keys_with_people"`
	Capture           bool                 `json:"capture"`
	Tags              []string             `json:"tags"`
	ChargeFactor      string               `json:"charge_factor"`
	Names             access.Names         `json:"names"`
}

func printPolicy(c *cobra.Command, p access.Policy) error {
	v := wirePolicy{
		Models: p.Models, Providers: p.Providers, Scopes: p.Scopes, Environments: p.Environments, CIDRs: p.CIDRs,
		KeyLife: lengthText(p.Life()), KeyIdle: lengthText(p.Idle()), EndKeysWithPeople: p.EndWithCreator, Capture: !p.NoCapture,
		Tags: p.Tags, ChargeFactor: cmp.Or(p.ChargeFactor, "1"), Names: append(access.Names{}, p.Names...),
	}
	if wantsJSON(c) {
		return printJSON(c, v)
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	for _, row := range [][2]string{
		{"models", listText(v.Models)}, {"providers", listText(v.Providers)}, {"scopes", listText(v.Scopes)},
		{"environments", listText(v.Environments)}, {"addresses", listText(v.CIDRs)},
		{"a key lives for", orText(v.KeyLife, "as long as its maker likes")}, {"and unused for", orText(v.KeyIdle, "as long as it likes")},
		{"keys end with people", yesNo(v.EndKeysWithPeople)}, {"contents may be kept", yesNo(v.Capture)},
		{"tags", strings.Join(v.Tags, ", ")}, {"charge factor", v.ChargeFactor},
		{"names", strings.Join(each(v.Names, func(n access.Name) string { return n.Pattern + ": " + n.Model }), ", ")},
	} {
		fmt.Fprintln(t, row[0]+"\t"+row[1])
	}
	return t.Flush()
}

func lengthText(d time.Duration) *string {
	if d <= 0 {
		return nil
	}
	return textOrNil(d.String())
}

func listText[T ~string](list []T) string {
	if len(list) == 0 {
		return "all"
	}
	return words(list)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

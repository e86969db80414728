package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func newWorkspacesPolicy(w world, f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Show and set what a workspace's keys and people may do at most",
		Long: "Show and set what a workspace's keys and people may do at most, whatever a key says of itself. It counts for keys that are there already.",
	}
	c.AddCommand(newPolicyShow(w, f), newPolicySet(w, f))
	return c
}

func newPolicyShow(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show the policy of a workspace", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := h.Access.Policy(c.Context(), access.CommandLine(args[0]), args[0])
				if err != nil {
					return noSuchWorkspace(args[0], err)
				}
				return printPolicy(c, p, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newPolicySet(w world, f *flags) *cobra.Command {
	var models, providers, scopes, environments, cidrs []string
	var life, idle string
	var endWith, capture, asJSON bool
	c := &cobra.Command{
		Use: "set ID", Short: "Change the policy of a workspace", Args: cobra.ExactArgs(1),
		Long:    "Change the policy of a workspace. What no flag names stays as it is; a flag with an empty value takes a limit away.",
		Example: "  stele workspaces policy set acme --model 'openai/*' --provider openai --key-life 2160h --end-keys-with-people",
		RunE: func(c *cobra.Command, args []string) error {
			lifetime, err := lengthOrNever("key-life", life)
			if err != nil {
				return err
			}
			unused, err := lengthOrNever("key-idle", idle)
			if err != nil {
				return err
			}
			change := func(p *access.Policy) {
				set := c.Flags().Changed
				for flag, do := range map[string]func(){
					"model":    func() { p.Models = withoutEmpty(models) },
					"provider": func() { p.Providers = withoutEmpty(providers) },
					"cidr":     func() { p.CIDRs = withoutEmpty(cidrs) },
					"scope":    func() { p.Scopes = named[access.Group](scopes) },
					"env":      func() { p.Environments = named[access.Environment](environments) },
					"key-life": func() { p.LifeMS = lifetime.Milliseconds() },
					"key-idle": func() { p.IdleMS = unused.Milliseconds() },
					"capture":  func() { p.NoCapture = !capture },

					"end-keys-with-people": func() { p.EndWithCreator = endWith },
				} {
					if set(flag) {
						do()
					}
				}
			}
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				who := access.CommandLine(args[0])
				p, err := h.Access.Policy(c.Context(), who, args[0])
				if err != nil {
					return noSuchWorkspace(args[0], err)
				}
				change(&p)
				if p, err = h.Access.SetPolicy(c.Context(), who, args[0], p); err != nil {
					return err
				}
				h.Settle(c.Context())
				return printPolicy(c, p, asJSON)
			})
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&models, "model", nil, "models that are open, * stands for any characters; may be repeated ('' for all)")
	flags.StringSliceVar(&providers, "provider", nil, "providers that may be asked; stele* is what is built in ('' for all)")
	flags.StringSliceVar(&scopes, "scope", nil, "route groups that are open: chat,models,files,media,apps ('' for all)")
	flags.StringSliceVar(&environments, "env", nil, "keys that are let in: development,production ('' for both)")
	flags.StringSliceVar(&cidrs, "cidr", nil, "addresses keys may be used from, such as 192.0.2.0/24 ('' for all)")
	flags.StringVar(&life, "key-life", "", "longest life of a key since it was made, such as 2160h, or never")
	flags.StringVar(&idle, "key-idle", "", "a key ends when unused for so long, such as 720h, or never")
	flags.BoolVar(&endWith, "end-keys-with-people", false, "keys end with the people who made them")
	flags.BoolVar(&capture, "capture", true, "what is said in chat may be kept, where the installation captures it")
	flags.BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func named[T ~string](list []string) []T {
	var out []T
	for _, text := range withoutEmpty(list) {
		out = append(out, T(text))
	}
	return out
}

func noSuchWorkspace(id string, err error) error {
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
}

func printPolicy(c *cobra.Command, p access.Policy, asJSON bool) error {
	v := wirePolicy{
		Models: p.Models, Providers: p.Providers, Scopes: p.Scopes, Environments: p.Environments, CIDRs: p.CIDRs,
		KeyLife: lengthText(p.Life()), KeyIdle: lengthText(p.Idle()), EndKeysWithPeople: p.EndWithCreator, Capture: !p.NoCapture,
	}
	if asJSON {
		return printJSON(c, v)
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	for _, row := range [][2]string{
		{"models", listText(v.Models, "all")}, {"providers", listText(v.Providers, "all")}, {"scopes", listText(v.Scopes, "all")},
		{"environments", listText(v.Environments, "all")}, {"addresses", listText(v.CIDRs, "all")},
		{"a key lives for", orText(v.KeyLife, "as long as its maker likes")}, {"and unused for", orText(v.KeyIdle, "as long as it likes")},
		{"keys end with people", yesNo(v.EndKeysWithPeople)}, {"contents may be kept", yesNo(v.Capture)},
	} {
		fmt.Fprintln(t, row[0]+"\t"+row[1])
	}
	return t.Flush()
}

func lengthText(d time.Duration) *string {
	if d == 0 {
		return nil
	}
	text := d.String()
	return &text
}

func listText[T ~string](list []T, none string) string {
	if len(list) == 0 {
		return none
	}
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

func orText(text *string, none string) string {
	if text == nil {
		return none
	}
	return *text
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func (p *program) keysEdit() *cobra.Command {
	var name, expires, idle string
	var scopes, models, cidrs []string
	c := jsonFlag(&cobra.Command{
		Use: "edit ID", Short: "Change what a key opens and how long it lives", Args: cobra.ExactArgs(1),
		Long: "Change what a key opens and how long it lives. What no flag names stays as it is; a flag with an empty value takes a limit away.",
		Example: "  stele keys edit key_06gx… --allow-cidr 192.0.2.0/24,2001:db8::/32\n" +
			"  stele keys edit key_06gx… --expires never --allow-model ''",
	})
	var edit access.KeyEdit
	c.PreRunE = func(*cobra.Command, []string) error {
		lifetime, unused, err := lengthsOrNever("expires", expires, "idle-expires", idle)
		take(c, "name", &edit.Name, &name)
		take(c, "scope", &edit.Groups, new(toNames[access.Group](scopes)))
		take(c, "allow-model", &edit.Models, new(withoutEmpty(models)))
		take(c, "allow-cidr", &edit.CIDRs, new(withoutEmpty(cidrs)))
		take(c, "expires", &edit.Lifetime, lifetime)
		take(c, "idle-expires", &edit.Idle, unused)
		if err == nil && edit == (access.KeyEdit{}) {
			err = errors.New("nothing to change: stele keys edit --help lists what can be")
		}
		return err
	}
	p.onInstallation(c, func(c *cobra.Command, h *assembly.Installation, args []string) error {
		k, err := h.Access.EditKey(c.Context(), operator(), args[0], edit)
		if err != nil {
			return refuseNoKey(args[0], err)
		}
		h.Settle(c.Context())
		return say(c, toWireKey(k, ""), "changed %s (%s)\n", k.ID, k.Name)
	})
	flags := c.Flags()
	flags.StringVar(&name, "name", "", "what people recognise it by")
	flags.StringSliceVar(&scopes, "scope", nil, "route groups it opens: chat,models,files,media,apps ('' for all)")
	flags.StringArrayVar(&models, "allow-model", nil, "models it opens, * stands for any characters; may be repeated ('' for all)")
	flags.StringSliceVar(&cidrs, "allow-cidr", nil, "addresses it may be used from, such as 192.0.2.0/24; may be repeated ('' for all)")
	flags.StringVar(&expires, "expires", "", "how long it works from now on, such as 720h, or never")
	flags.StringVar(&idle, "idle-expires", "", "it ends when unused for so long, such as 720h, or never")
	return c
}

// lengthOrNever reads a length of time; never and nothing are 0.
func lengthOrNever(flag, text string) (*time.Duration, error) {
	var d time.Duration
	if text == "" || text == "never" {
		return &d, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return nil, fmt.Errorf("--%s takes a length of time such as 720h, or never: %q is neither", flag, text)
	}
	return &d, nil
}

// withoutEmpty is a list without its empty texts: ” takes a limit away.
func withoutEmpty(list []string) []string { return toNames[string](list) }

func toNames[T ~string](list []string) []T {
	var kept []T
	for _, text := range list {
		if text != "" {
			kept = append(kept, T(text))
		}
	}
	return kept
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func newUsersLink(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "link ADDRESS", Short: "Print an emergency link that signs an administrator in", Args: cobra.ExactArgs(1),
		Long: "Print a link that signs an administrator in without a password, for the day on which nothing else works: the identity\n" +
			"provider is gone, or the second factor. It works once, for 15 minutes, also with auth.sso_only, and is in the audit log.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := findUser(c.Context(), h.Access, args[0])
				if err != nil {
					return err
				}
				p, secret, err := h.Access.RescueLink(c.Context(), access.CommandLine(access.DefaultWorkspace), p.ID)
				if err != nil {
					return err
				}
				u := toWireUser(p, "").linked(h.Config, secret, p)
				if asJSON {
					return printJSON(c, u)
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "%s signs in here. It works once, until %s, and cannot be shown again:\n\n  %s\n", u.Email, u.LinkUntil, u.Link)
				return err
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newUsersResetFactor(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "reset-factor ADDRESS", Short: "Take the second factors from a person who has lost them", Args: cobra.ExactArgs(1),
		Long: "Take passkeys, authenticator app and recovery codes from a person who has lost them, and sign them out.\n" +
			"They sign in with the password alone then, and set up new ones.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := findUser(c.Context(), h.Access, args[0])
				if err != nil {
					return err
				}
				if p, err = h.Access.ResetFactors(c.Context(), access.CommandLine(access.DefaultWorkspace), p.ID); err != nil {
					return err
				}
				p.Factors = 0
				return printUser(c, toWireUser(p, ""), "has no second factor any more", asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newUsersSignOut(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "sign-out ADDRESS", Short: "End all sessions of a person", Args: cobra.ExactArgs(1),
		Long: "Sign a person out in every browser, from the next click on. They may sign in again.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := findUser(c.Context(), h.Access, args[0])
				if err != nil {
					return err
				}
				n, err := h.Access.EndSessionsOf(c.Context(), access.CommandLine(access.DefaultWorkspace), p.ID)
				if err != nil {
					return err
				}
				return printUser(c, toWireUser(p, ""), fmt.Sprintf("was signed out of %d browsers", n), asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func (p *program) usersLink() *cobra.Command {
	return p.onPerson(&cobra.Command{
		Use: "link ADDRESS", Short: "Print an emergency link that signs an administrator in",
		Long: "Print a link that signs an administrator in without a password, for the day on which nothing else works: the identity\n" +
			"provider is gone, or the second factor. It works once, for 15 minutes, also with auth.sso_only, and is in the audit log.",
	}, func(c *cobra.Command, h *assembly.Installation, who access.Person) error {
		who, secret, err := h.Access.RescueLink(c.Context(), operator(), who.ID)
		if err != nil {
			return err
		}
		u := toWireUser(who, "").withLink(h.Config, secret, who)
		return say(c, u, "%s signs in here. It works once, until %s, and cannot be shown again:\n\n  %s\n", u.Email, u.LinkUntil, u.Link)
	})
}

func (p *program) usersResetFactor() *cobra.Command {
	return p.onPerson(&cobra.Command{
		Use: "reset-factor ADDRESS", Short: "Take the second factors from a person who has lost them",
		Long: "Take passkeys, authenticator app and recovery codes from a person who has lost them, and sign them out.\n" +
			"They sign in with the password alone then, and set up new ones.",
	}, func(c *cobra.Command, h *assembly.Installation, who access.Person) error {
		who, err := h.Access.ResetFactors(c.Context(), operator(), who.ID)
		if err != nil {
			return err
		}
		who.Factors = 0
		return printUser(c, toWireUser(who, ""), "has no second factor any more")
	})
}

func (p *program) usersSignOut() *cobra.Command {
	return p.onPerson(&cobra.Command{
		Use: "sign-out ADDRESS", Short: "End all sessions of a person",
		Long: "Sign a person out in every browser, from the next click on. They may sign in again.",
	}, func(c *cobra.Command, h *assembly.Installation, who access.Person) error {
		n, err := h.Access.EndSessionsOf(c.Context(), operator(), who.ID)
		if err != nil {
			return err
		}
		return printUser(c, toWireUser(who, ""), fmt.Sprintf("was signed out of %d browsers", n))
	})
}

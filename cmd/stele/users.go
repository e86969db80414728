package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/uid"
)

func (p *program) users() *cobra.Command {
	return group("users", "Manage who may sign in to the console", p.usersList(), p.usersCreate(), p.usersReset(), p.usersRemove(),
		p.usersLink(), p.usersResetFactor(), p.usersSignOut())
}

func (p *program) usersCreate() *cobra.Command {
	var email, passwordFile, role, workspace string
	var admin, link bool
	var n access.NewPerson
	var made bool // the password
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "create --email ADDRESS", Short: "Let a person sign in to the console", Args: cobra.NoArgs,
		Long: "Let a person sign in to the console.\n" +
			"The password is read from --password-file (- is standard input); with --link they choose it themselves by a link that\n" +
			"works once, for three days; with neither one is made and printed once.\n" +
			"Somebody who is known already gets the role in the workspace with --link. A link is printed for those who have only\n" +
			"followed a link of some workspace's owner so far: by it they prove to you that the address is theirs.",
		Example: "  stele users create --admin --email admin@example.com\n" +
			"  stele users create --email ada@example.com --role viewer --workspace acme --link",
		PreRunE: func(c *cobra.Command, _ []string) (err error) {
			n = access.NewPerson{Email: email, Role: access.Role(role)}
			if admin {
				n.Role = access.Administrator
			}
			if link {
				return nil
			}
			n.Password, made, err = choosePassword(passwordFile, c.InOrStdin())
			if err == nil && n.Password == "" {
				err = errors.New("the password is empty")
			}
			return err
		},
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		if h.Access.SignInRules().SSOOnly { // they come through the identity provider
			n.Password, made = "", false
		}
		who, secret, err := h.Access.AddPerson(c.Context(), access.CommandLine(workspace), n)
		if err != nil {
			return err
		}
		u := toWireUser(who, workspace)
		if made {
			u.Password = n.Password
		}
		return printUser(c, u.withLink(h.Config, secret, who), "may sign in")
	})
	flags := c.Flags()
	flags.StringVar(&email, "email", "", "the address they sign in with")
	flags.StringVar(&passwordFile, "password-file", "", "a file with the password; - reads standard input")
	flags.BoolVar(&link, "link", false, "print a link by which they choose their password")
	flags.StringVar(&role, "role", string(access.Member), "viewer, member or owner of the workspace")
	flags.StringVar(&workspace, "workspace", access.DefaultWorkspace, madeOnDemand)
	flags.BoolVar(&admin, "admin", false, "may do everything, in every workspace")
	_ = c.MarkFlagRequired("email")
	c.MarkFlagsMutuallyExclusive("link", "password-file")
	c.MarkFlagsMutuallyExclusive("admin", "role")
	return c
}

func (p *program) usersReset() *cobra.Command {
	return p.onPerson(&cobra.Command{
		Use: "reset ADDRESS", Short: "Print a link by which a person chooses a new password",
		Long: "Print a link by which a person chooses a new password.\n" +
			"It works once, for three days. The password they have works until they have chosen another.",
	}, func(c *cobra.Command, h *assembly.Installation, who access.Person) error {
		who, secret, err := h.Access.ResetLink(c.Context(), operator(), who.ID)
		if err != nil {
			return err
		}
		return printUser(c, toWireUser(who, "").withLink(h.Config, secret, who), "may choose a new password")
	})
}

func (p *program) usersRemove() *cobra.Command {
	var workspace string
	c := p.onPerson(&cobra.Command{
		Use: "remove ADDRESS", Short: "Delete an account, or take it out of a workspace",
		Long: "Delete an account for good, or with --workspace only take the person out of that workspace.\n" +
			"Keys they made go on working, and what they did stays in the audit log.",
	}, func(c *cobra.Command, h *assembly.Installation, who access.Person) (err error) {
		done := "was deleted"
		if workspace != "" {
			done = "no longer belongs to " + workspace
			who, err = h.Access.Remove(c.Context(), access.CommandLine(workspace), who.ID)
		} else {
			who, err = h.Access.Delete(c.Context(), operator(), who.ID)
		}
		if errors.Is(err, access.ErrNotFound) {
			return fmt.Errorf("%s does not belong to the workspace %s", c.Flags().Arg(0), workspace)
		}
		if err != nil {
			return err
		}
		return printUser(c, toWireUser(who, ""), done)
	})
	c.Flags().StringVar(&workspace, "workspace", "", "only take them out of this workspace")
	return c
}

// choosePassword reads the password, or makes one where no file is named.
func choosePassword(file string, stdin io.Reader) (password string, made bool, err error) {
	var text []byte
	switch file {
	case "":
		return uid.Secret(15), true, nil
	case "-":
		text, err = io.ReadAll(io.LimitReader(stdin, 4096))
	default:
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", false, fmt.Errorf("read password: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), false, nil
}

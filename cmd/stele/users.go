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

func newUsers(w world, f *flags) *cobra.Command {
	users := &cobra.Command{Use: "users", Short: "Manage who may sign in to the console"}
	users.AddCommand(newUsersList(w, f), newUsersCreate(w, f), newUsersReset(w, f), newUsersRemove(w, f),
		newUsersLink(w, f), newUsersResetFactor(w, f), newUsersSignOut(w, f))
	return users
}

func newUsersCreate(w world, f *flags) *cobra.Command {
	var email, passwordFile, role, workspace string
	var admin, link, asJSON bool
	c := &cobra.Command{
		Use: "create --email ADDRESS", Short: "Let a person sign in to the console", Args: cobra.NoArgs,
		Long: "Let a person sign in to the console.\n" +
			"The password is read from --password-file (- is standard input); with --link they choose it themselves by a link that\n" +
			"works once, for three days; with neither one is made and printed once.\n" +
			"Somebody who is known already gets the role in the workspace with --link. A link is printed for those who have only\n" +
			"followed a link of some workspace's owner so far: by it they prove to you that the address is theirs.",
		Example: "  stele users create --admin --email admin@example.com\n" +
			"  stele users create --email ada@example.com --role viewer --workspace acme --link",
		RunE: func(c *cobra.Command, _ []string) error {
			n := access.NewPerson{Email: email, Role: access.Role(role)}
			if admin {
				n.Role = access.Administrator
			}
			made := false
			if !link {
				var err error
				if n.Password, made, err = choosePassword(passwordFile, c.InOrStdin()); err != nil {
					return err
				}
				if n.Password == "" {
					return errors.New("the password is empty")
				}
			}
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				if h.Access.SignInRules().SSOOnly { // they come through the identity provider
					n.Password, made = "", false
				}
				p, secret, err := h.Access.AddPerson(c.Context(), access.CommandLine(workspace), n)
				if err != nil {
					return err
				}
				out := toWireUser(p, workspace)
				if made {
					out.Password = n.Password
				}
				return printUser(c, out.linked(h.Config, secret, p), "may sign in", asJSON)
			})
		},
	}
	c.Flags().StringVar(&email, "email", "", "the address they sign in with")
	c.Flags().StringVar(&passwordFile, "password-file", "", "a file with the password; - reads standard input")
	c.Flags().BoolVar(&link, "link", false, "print a link by which they choose their password")
	c.Flags().StringVar(&role, "role", string(access.Member), "viewer, member or owner of the workspace")
	c.Flags().StringVar(&workspace, "workspace", access.DefaultWorkspace, "made if it does not exist")
	c.Flags().BoolVar(&admin, "admin", false, "may do everything, in every workspace")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	_ = c.MarkFlagRequired("email")
	c.MarkFlagsMutuallyExclusive("link", "password-file")
	c.MarkFlagsMutuallyExclusive("admin", "role")
	return c
}

func newUsersReset(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "reset ADDRESS", Short: "Print a link by which a person chooses a new password", Args: cobra.ExactArgs(1),
		Long: "Print a link by which a person chooses a new password.\n" +
			"It works once, for three days. The password they have works until they have chosen another.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := findUser(c.Context(), h.Access, args[0])
				if err != nil {
					return err
				}
				p, secret, err := h.Access.ResetLink(c.Context(), access.CommandLine(access.DefaultWorkspace), p.ID)
				if err != nil {
					return err
				}
				return printUser(c, toWireUser(p, "").linked(h.Config, secret, p), "may choose a new password", asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newUsersRemove(w world, f *flags) *cobra.Command {
	var workspace string
	var asJSON bool
	c := &cobra.Command{
		Use: "remove ADDRESS", Short: "Delete an account, or take it out of a workspace", Args: cobra.ExactArgs(1),
		Long: "Delete an account for good, or with --workspace only take the person out of that workspace.\n" +
			"Keys they made go on working, and what they did stays in the audit log.",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				p, err := findUser(c.Context(), h.Access, args[0])
				if err != nil {
					return err
				}
				done := "was deleted"
				if workspace != "" {
					done = "no longer belongs to " + workspace
					p, err = h.Access.Remove(c.Context(), access.CommandLine(workspace), p.ID)
				} else {
					p, err = h.Access.Delete(c.Context(), access.CommandLine(access.DefaultWorkspace), p.ID)
				}
				if errors.Is(err, access.ErrNotFound) {
					return fmt.Errorf("%s does not belong to the workspace %s", args[0], workspace)
				}
				if err != nil {
					return err
				}
				return printUser(c, toWireUser(p, ""), done, asJSON)
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "only take them out of this workspace")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
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

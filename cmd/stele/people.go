package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/config"
)

// findUser finds an account by its address or id.
func findUser(ctx context.Context, s *access.Service, name string) (access.Person, error) {
	p, err := s.Account(ctx, access.CommandLine(access.DefaultWorkspace), name)
	if errors.Is(err, access.ErrNotFound) {
		return access.Person{}, fmt.Errorf("there is nobody with the address %q: stele users list shows all", name)
	}
	return p, err
}

func newUsersList(w world, f *flags) *cobra.Command {
	var workspace string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List who may sign in", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				list, err := listUsers(c.Context(), h.Access, workspace)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(c, list)
				}
				return printUsers(c, list)
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "only the people of this workspace")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

// listUsers gives every account with the workspaces it belongs to, or those of one workspace.
func listUsers(ctx context.Context, s *access.Service, workspace string) ([]wireUser, error) {
	all := access.CommandLine(access.DefaultWorkspace)
	accounts, err := s.Accounts(ctx, all)
	if err != nil {
		return nil, err
	}
	workspaces, err := s.Workspaces(ctx, all)
	if err != nil {
		return nil, err
	}
	roles := make(map[string]map[string]string)
	for _, one := range workspaces {
		people, err := s.People(ctx, access.CommandLine(one.ID))
		if err != nil {
			return nil, err
		}
		for _, p := range people {
			if p.Role == "" {
				continue
			}
			if roles[p.ID] == nil {
				roles[p.ID] = make(map[string]string)
			}
			roles[p.ID][one.ID] = string(p.Role)
		}
	}
	list := []wireUser{}
	for _, p := range accounts {
		u := toWireUser(p, "")
		if u.Roles = roles[p.ID]; u.Roles == nil {
			u.Roles = map[string]string{}
		}
		if _, there := u.Roles[workspace]; workspace == "" || there || p.Admin {
			list = append(list, u)
		}
	}
	return list, nil
}

// wireUser is a person as scripts read them.
type wireUser struct {
	ID         string            `json:"id"`
	Email      string            `json:"email"`
	Admin      bool              `json:"admin"`
	Roles      map[string]string `json:"roles,omitzero"` // by workspace
	CreatedAt  string            `json:"created_at"`
	LastSeenAt *string           `json:"last_seen_at"`
	Factors    int               `json:"second_factors"`
	Password   string            `json:"password,omitempty"`
	Link       string            `json:"link,omitempty"`
	LinkUntil  string            `json:"link_expires_at,omitempty"`
}

func toWireUser(p access.Person, workspace string) wireUser {
	u := wireUser{ID: p.ID, Email: p.Email, Admin: p.Admin, CreatedAt: stamp(p.CreatedAt), LastSeenAt: maybe(p.SeenAt), Factors: p.Factors}
	if workspace != "" && p.Role != "" {
		u.Roles = map[string]string{workspace: string(p.Role)}
	}
	return u
}

func (u wireUser) linked(cfg *config.Config, secret string, p access.Person) wireUser {
	if secret != "" {
		u.Link, u.LinkUntil = cfg.ConsolePublic(cfg.Listen, cfg.Console.Listen)+"/console/welcome?token="+url.QueryEscape(secret), stamp(p.Link.Until)
	}
	return u
}

func printUser(c *cobra.Command, u wireUser, what string, asJSON bool) error {
	if asJSON {
		return printJSON(c, u)
	}
	text := fmt.Sprintf("%s %s.\n", u.Email, what)
	if u.Password != "" {
		text += fmt.Sprintf("The password is %s and cannot be shown again.\n", u.Password)
	}
	if u.Link != "" {
		text += fmt.Sprintf("They choose their password here. It works once, until %s, and cannot be shown again:\n\n  %s\n", u.LinkUntil, u.Link)
	}
	_, err := fmt.Fprint(c.OutOrStdout(), text)
	return err
}

func printUsers(c *cobra.Command, list []wireUser) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "There is nobody yet: stele users create --admin --email ADDRESS makes an administrator.")
		return err
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tADDRESS\tROLES\tLAST SEEN\tSECOND FACTOR")
	for _, u := range list {
		seen := "never"
		if u.LastSeenAt != nil {
			seen = *u.LastSeenAt
		}
		fmt.Fprintln(t, strings.Join([]string{u.ID, u.Email, rolesText(u), seen, map[bool]string{true: "yes", false: "no"}[u.Factors > 0]}, "\t"))
	}
	return t.Flush()
}

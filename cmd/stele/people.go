package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/wire"
)

// onPerson makes do what a command does to the account that its argument names.
func (p *program) onPerson(c *cobra.Command, do func(c *cobra.Command, h *assembly.Installation, who access.Person) error) *cobra.Command {
	c.Args = cobra.ExactArgs(1)
	return p.onInstallation(jsonFlag(c), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		who, err := h.Access.Account(c.Context(), operator(), args[0])
		if errors.Is(err, access.ErrNotFound) {
			return fmt.Errorf("there is nobody with the address %q: stele users list shows all", args[0])
		}
		if err != nil {
			return err
		}
		return do(c, h, who)
	})
}

func (p *program) usersList() *cobra.Command {
	var workspace string
	c := p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List who may sign in", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			list, err := listUsers(c.Context(), h.Access, workspace)
			if err != nil {
				return err
			}
			return printTable(c, list, "There is nobody yet: stele users create --admin --email ADDRESS makes an administrator.",
				"ID\tADDRESS\tROLES\tLAST SEEN\tSECOND FACTOR", func(u wireUser) []string {
					return []string{u.ID, u.Email, rolesText(u), orText(u.LastSeenAt, "never"), yesNo(u.Factors > 0)}
				})
		})
	c.Flags().StringVar(&workspace, "workspace", "", "only the people of this workspace")
	return c
}

// listUsers gives every account with the workspaces it belongs to, or those of one workspace.
func listUsers(ctx context.Context, s *access.Service, workspace string) ([]wireUser, error) {
	accounts, err := s.Accounts(ctx, operator())
	if err != nil {
		return nil, err
	}
	workspaces, err := s.Workspaces(ctx, operator())
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
	u := wireUser{ID: p.ID, Email: p.Email, Admin: p.Admin, CreatedAt: wire.Time(p.CreatedAt), LastSeenAt: maybe(p.SeenAt), Factors: p.Factors}
	if workspace != "" && p.Role != "" {
		u.Roles = map[string]string{workspace: string(p.Role)}
	}
	return u
}

// withLink is the person with the address of a link that was made for them.
func (u wireUser) withLink(cfg *config.Config, secret string, p access.Person) wireUser {
	if secret != "" {
		u.Link = cfg.ConsolePublic(cfg.Listen, cfg.Console.Listen) + "/console/welcome?token=" + url.QueryEscape(secret)
		u.LinkUntil = wire.Time(p.Link.Until)
	}
	return u
}

func printUser(c *cobra.Command, u wireUser, what string) error {
	text := fmt.Sprintf("%s %s.\n", u.Email, what)
	if u.Password != "" {
		text += fmt.Sprintf("The password is %s and cannot be shown again.\n", u.Password)
	}
	if u.Link != "" {
		text += fmt.Sprintf("They choose their password here. It works once, until %s, and cannot be shown again:\n\n  %s\n", u.LinkUntil, u.Link)
	}
	err := say(c, u, "%s", text)
	if err != nil && u.Password+u.Link != "" { // no caller has it
		return fmt.Errorf("%s %s, which could not be printed; stele users reset %s prints a link to a password: %w", u.Email, what, u.Email, err)
	}
	return err
}

// rolesText is what a person may do, for a table.
func rolesText(u wireUser) string {
	var roles []string
	if u.Admin {
		roles = append(roles, "administrator")
	}
	for _, workspace := range slices.Sorted(maps.Keys(u.Roles)) {
		roles = append(roles, workspace+":"+u.Roles[workspace])
	}
	if len(roles) == 0 {
		return "none"
	}
	return strings.Join(roles, " ")
}

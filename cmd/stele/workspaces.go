package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/wire"
)

func (p *program) workspaces() *cobra.Command {
	return group("workspaces", "List and make workspaces, and say what they may do", p.workspacesList(), p.workspacesCreate(), p.workspacesPolicy())
}

func (p *program) workspacesList() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List workspaces", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			list, err := h.Access.Workspaces(c.Context(), operator())
			if err != nil {
				return err
			}
			return printTable(c, each(list, toWireWorkspace), "", "ID\tNAME\tPEOPLE\tCREATED", func(w wireWorkspace) []string {
				return []string{w.ID, w.Name, strconv.Itoa(w.People), w.CreatedAt}
			})
		})
}

func (p *program) workspacesCreate() *cobra.Command {
	var name string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "create ID", Short: "Make a workspace", Args: cobra.ExactArgs(1),
		Long: "Make a workspace. Keys, people and what they make belong to one; nothing of it is seen in another.\n" +
			"The id is what commands call it; --name is what people see.",
		Example: "  stele workspaces create acme --name 'Acme Inc.'",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		made, err := h.Access.CreateWorkspace(c.Context(), operator(), args[0], name)
		if err != nil {
			return err
		}
		return say(c, toWireWorkspace(made), "made %s\n", made.ID)
	})
	c.Flags().StringVar(&name, "name", "", "what people see (default: the id)")
	return c
}

// wireWorkspace is a workspace as scripts read it.
type wireWorkspace struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	People    int    `json:"people"`
	CreatedAt string `json:"created_at"`
}

func toWireWorkspace(w access.Workspace) wireWorkspace {
	return wireWorkspace{ID: w.ID, Name: w.Label(), People: w.Members, CreatedAt: wire.Time(w.CreatedAt)}
}

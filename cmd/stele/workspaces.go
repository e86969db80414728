package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
)

func newWorkspaces(w world, f *flags) *cobra.Command {
	workspaces := &cobra.Command{Use: "workspaces", Short: "List and make workspaces, and say what they may do"}
	workspaces.AddCommand(newWorkspacesList(w, f), newWorkspacesCreate(w, f), newWorkspacesPolicy(w, f))
	return workspaces
}

func newWorkspacesList(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List workspaces", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				list, err := h.Access.Workspaces(c.Context(), access.CommandLine(access.DefaultWorkspace))
				if err != nil {
					return err
				}
				if asJSON {
					out := make([]wireWorkspace, len(list))
					for i, one := range list {
						out[i] = toWireWorkspace(one)
					}
					return printJSON(c, out)
				}
				t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
				fmt.Fprintln(t, "ID\tNAME\tPEOPLE\tCREATED")
				for _, one := range list {
					fmt.Fprintln(t, strings.Join([]string{one.ID, one.Label(), strconv.Itoa(one.Members), stamp(one.CreatedAt)}, "\t"))
				}
				return t.Flush()
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newWorkspacesCreate(w world, f *flags) *cobra.Command {
	var name string
	var asJSON bool
	c := &cobra.Command{
		Use: "create ID", Short: "Make a workspace", Args: cobra.ExactArgs(1),
		Long: "Make a workspace. Keys, people and what they make belong to one; nothing of it is seen in another.\n" +
			"The id is what commands call it; --name is what people see.",
		Example: "  stele workspaces create acme --name 'Acme Inc.'",
		RunE: func(c *cobra.Command, args []string) error {
			return withInstallation(c, w, f, func(h *assembly.Installation) error {
				made, err := h.Access.CreateWorkspace(c.Context(), access.CommandLine(access.DefaultWorkspace), args[0], name)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(c, toWireWorkspace(made))
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "made %s\n", made.ID)
				return err
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "what people see (default: the id)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
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
	return wireWorkspace{ID: w.ID, Name: w.Label(), People: w.Members, CreatedAt: stamp(w.CreatedAt)}
}

// rolesText is what somebody may do, for a table.
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

package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/generation"
)

func newGenerations(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "generations", Short: "List, show and cancel generations"}
	c.AddCommand(newGenerationsList(w, f), newGenerationsShow(w, f), newGenerationsCancel(w, f))
	return c
}

func newGenerationsList(w world, f *flags) *cobra.Command {
	var workspace string
	var limit int
	var asJSON, parts bool
	c := &cobra.Command{
		Use: "list", Short: "List the latest generations", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				tasks, err := h.Store.List(c.Context(), generation.Wanted{Workspace: workspace, Parts: parts, Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					list := make([]generation.View, len(tasks))
					for i := range tasks {
						list[i] = s.Generations.View(&tasks[i])
					}
					return printJSON(c, list)
				}
				return printTasks(c, tasks)
			})
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "only those of this workspace")
	c.Flags().IntVar(&limit, "limit", 20, "how many")
	c.Flags().BoolVar(&parts, "parts", false, "with the parts that runs of apps are made of")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func printTasks(c *cobra.Command, tasks []generation.Task) error {
	if len(tasks) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "There are no generations yet: stele generate makes one.")
		return err
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tMODEL\tMODE\tSTATUS\tPROGRESS\tCREATED\tTOOK\tERROR")
	for _, task := range tasks {
		took := ""
		if !task.Ended.IsZero() {
			took = task.Ended.Sub(task.Created).Round(time.Millisecond).String()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.0f%%\t%s\t%s\t%s\n",
			task.ID, task.Model, task.Mode, task.State, task.Progress*100, stamp(task.Created), took, task.Code)
	}
	return t.Flush()
}

func newGenerationsShow(w world, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a generation as clients see it, as JSON", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				t, err := s.Generations.Find(c.Context(), "", "", args[0])
				if err != nil {
					return err
				}
				return printJSON(c, s.Generations.View(t))
			})
		},
	}
}

func newGenerationsCancel(w world, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "Stop a generation", Args: cobra.ExactArgs(1),
		Long: "Stop a generation. One that a running server is working on is stopped by that server within a second or two.",
		RunE: func(c *cobra.Command, args []string) error {
			return withTasks(c, w, f, func(h *assembly.Installation, s assembly.TaskServices) error {
				t, err := s.Generations.Find(c.Context(), "", "", args[0])
				if err != nil {
					return err
				}
				if t.State.Final() {
					return fmt.Errorf("%s has ended already: %s", t.ID, t.State)
				}
				if t, err = s.Generations.Cancel(c.Context(), "", t.ID); err != nil {
					return err
				}
				for end := time.Now().Add(5 * time.Second); !t.State.Final() && time.Now().Before(end); {
					if t, err = s.Generations.Watch(c.Context(), "", "", t.ID, t.Version, 250*time.Millisecond); err != nil {
						return err
					}
				}
				if !t.State.Final() {
					_, err = fmt.Fprintf(c.OutOrStdout(), "%s will be canceled as soon as a server works on it\n", t.ID)
					return err
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", t.ID, t.State)
				return err
			})
		},
	}
}

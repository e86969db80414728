package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/generation"
	"stele/internal/wire"
)

func (p *program) generations() *cobra.Command {
	return group("generations", "List, show, cancel and settle generations", p.generationsList(), p.generationsShow(), p.generationsCancel(), p.generationsUnsettled(), p.generationsSettle())
}

// onTasks makes do what a command does to generations and their webhooks.
func (p *program) onTasks(c *cobra.Command, do func(c *cobra.Command, s assembly.TaskServices, args []string) error) *cobra.Command {
	return p.onInstallation(c, func(c *cobra.Command, h *assembly.Installation, args []string) error {
		s, err := h.Tasks(c.Context())
		if err != nil {
			return err
		}
		return do(c, s, args)
	})
}

func (p *program) generationsList() *cobra.Command {
	var wanted generation.Wanted
	c := p.onTasks(jsonFlag(&cobra.Command{Use: "list", Short: "List the latest generations", Args: cobra.NoArgs}),
		func(c *cobra.Command, s assembly.TaskServices, _ []string) error {
			tasks, err := s.Store.List(c.Context(), wanted)
			if err != nil {
				return err
			}
			if wantsJSON(c) {
				return printJSON(c, each(tasks, func(t generation.Task) generation.View { return s.Generations.View(&t) }))
			}
			return printTable(c, tasks, "There are no generations yet: stele generate makes one.",
				"ID\tMODEL\tMODE\tSTATUS\tPROGRESS\tCREATED\tTOOK\tERROR", taskRow)
		})
	c.Flags().StringVar(&wanted.Workspace, "workspace", "", "only those of this workspace")
	c.Flags().IntVar(&wanted.Limit, "limit", 20, "how many")
	c.Flags().BoolVar(&wanted.Parts, "parts", false, "with the parts that runs of apps are made of")
	return c
}

func taskRow(t generation.Task) []string {
	took := ""
	if !t.Ended.IsZero() {
		took = t.Ended.Sub(t.Created).Round(time.Millisecond).String()
	}
	return []string{t.ID, t.Model, t.Mode, string(t.State), fmt.Sprintf("%.0f%%", t.Progress*100), wire.Time(t.Created), took, t.Code}
}

func (p *program) generationsShow() *cobra.Command {
	return p.onTasks(&cobra.Command{Use: "show ID", Short: "Show a generation as clients see it, as JSON", Args: cobra.ExactArgs(1)},
		func(c *cobra.Command, s assembly.TaskServices, args []string) error {
			t, err := s.Generations.Find(c.Context(), "", "", args[0])
			if err != nil {
				return err
			}
			return printJSON(c, s.Generations.View(t))
		})
}

func (p *program) generationsCancel() *cobra.Command {
	return p.onTasks(&cobra.Command{
		Use: "cancel ID", Short: "Stop a generation", Args: cobra.ExactArgs(1),
		Long: "Stop a generation. One that a running server is working on is stopped by that server within a second or two.",
	}, func(c *cobra.Command, s assembly.TaskServices, args []string) error {
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
			return say(c, nil, "%s will be canceled as soon as a server works on it\n", t.ID)
		}
		return say(c, nil, "%s: %s\n", t.ID, t.State)
	})
}

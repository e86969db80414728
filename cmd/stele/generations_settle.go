package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/generation"
	"stele/internal/price"
	"stele/internal/wire"
)

// mostUnsettled is how many the list shows.
const mostUnsettled = 1000

func (p *program) generationsUnsettled() *cobra.Command {
	var workspace string
	c := p.onTasks(jsonFlag(&cobra.Command{
		Use: "unsettled", Short: "List generations that have ended and may still be charged for", Args: cobra.NoArgs,
		Long: "List generations that were canceled, late, or whose answer was lost, and whose provider has not said what they cost. Their price stays held\n" +
			"until it does, or until stele generations settle says it.",
	}), func(c *cobra.Command, s assembly.TaskServices, _ []string) error {
		always := time.Now().Add(100 * 365 * 24 * time.Hour) // whenever it is looked at next
		tasks, err := s.Store.ListUnsettled(c.Context(), workspace, always, mostUnsettled)
		if err != nil {
			return err
		}
		if wantsJSON(c) {
			return printJSON(c, each(tasks, func(t generation.Task) generation.View { return s.Generations.View(&t) }))
		}
		return printTable(c, tasks, "All generations are settled.", "ID\tWORKSPACE\tPROVIDER\tMODEL\tSTATUS\tHELD\tENDED\tERROR", func(t generation.Task) []string {
			return []string{t.ID, t.Workspace, t.Provider, t.Model, string(t.State), "$" + price.Amount(t.Nano).Decimal(), wire.Time(t.Ended), t.Message}
		})
	})
	c.Flags().StringVar(&workspace, "workspace", "", "only those of this workspace")
	return c
}

func (p *program) generationsSettle() *cobra.Command {
	var cost string
	c := p.onTasks(jsonFlag(&cobra.Command{
		Use: "settle ID", Short: "Say what a generation has cost whose provider does not", Args: cobra.ExactArgs(1),
		Example: "  stele generations settle gen_… --cost 0.04",
	}), func(c *cobra.Command, s assembly.TaskServices, args []string) error {
		if cost == "" {
			return errors.New("--cost is missing: 0 where nothing was charged")
		}
		nano, err := price.Parse(price.Ungroup(cost))
		if err != nil {
			return fmt.Errorf("--cost %s: %w", cost, err)
		}
		t, err := s.Generations.Find(c.Context(), "", "", args[0])
		if err != nil {
			return err
		}
		if t, err = s.Generations.SettleByHand(c.Context(), access.CommandLine(t.Workspace), t.ID, int64(nano)); err != nil {
			return err
		}
		return say(c, s.Generations.View(t), "%s is settled at $%s\n", t.ID, price.Amount(t.Nano).Decimal())
	})
	c.Flags().StringVar(&cost, "cost", "", "what the provider has charged, in dollars")
	return c
}

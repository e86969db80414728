package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/doctor"
)

func (p *program) upgrade() *cobra.Command {
	var uncopied bool
	c := &cobra.Command{
		Use: "upgrade", Short: "Bring the database up to date now, or check what that would mean", Args: cobra.NoArgs,
		Long: "Every start of a server does the same: this is for those who want to do it before. SQLite is copied first, beside itself.\n" +
			"Servers of the release before go on working beside it.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load()
			if err != nil {
				return err
			}
			if err := assembly.Upgrade(c.Context(), cfg, uncopied); err != nil {
				return err
			}
			return say(c, nil, "The database is up to date.\n")
		},
	}
	c.Flags().BoolVar(&uncopied, "no-copy", false, "do not copy a SQLite database first, where there is no room: make a backup elsewhere")
	c.AddCommand(p.upgradeCheck())
	return c
}

func (p *program) upgradeCheck() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use: "check", Short: "Say what this version would do to the database, and what speaks against it", Args: cobra.NoArgs,
		Long: "Says which schema the database has, what would be done to it and how many rows that reads or writes, which servers run,\n" +
			"whether there is a backup, and whether one step back works. Nothing is changed. The exit code is 1 where something speaks against it.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load()
			if err != nil {
				return err
			}
			found := doctor.Upgrade(c.Context(), doctor.Options{Config: cfg, Process: p.process(), Now: time.Now()})
			if wantsJSON(c) {
				err = printJSON(c, found)
			}
			bad := false
			for _, f := range found {
				bad = bad || f.Class == doctor.Bad
				if wantsJSON(c) {
					continue
				}
				fmt.Fprintf(c.OutOrStdout(), "%-8s %s: %s\n", f.Class, f.Check, f.Said)
				if f.Do != "" {
					fmt.Fprintf(c.OutOrStdout(), "         → %s\n", f.Do)
				}
			}
			if bad && err == nil {
				return errTold
			}
			return err
		},
	})
}

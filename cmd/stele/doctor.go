package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/doctor"
)

func (p *program) doctor() *cobra.Command {
	var online bool
	c := jsonFlag(&cobra.Command{
		Use: "doctor", Short: "Say what of this installation is missing, slow, old or open, and what to do about it", Args: cobra.NoArgs,
		Long: "Look at the configuration, the data folder, the database and what happened in the last seven days, beside a running server or without one.\n" +
			"Nothing is changed. A note is for your information, a warning wants something done, and what is bad loses data, money or secrets, or keeps\n" +
			"Stele from working: then the exit code is 1.",
		Example: "  stele doctor\n  stele doctor --online --json | jq '.[] | select(.class == \"bad\")'",
	})
	c.Flags().BoolVar(&online, "online", false, "also make one cheap call to every provider, to see whether it takes its key")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := p.load()
		if err != nil {
			fmt.Fprintln(c.ErrOrStderr(), err)
			return errTold
		}
		found := doctor.Examine(c.Context(), doctor.Options{Config: cfg, Process: p.process(), Online: online, Now: time.Now()})
		if err := tellFindings(c, found); err != nil {
			return err
		}
		for _, f := range found {
			if f.Class == doctor.Bad {
				return errTold
			}
		}
		return nil
	}
	return c
}

// tellFindings prints the worst first. What is well is only counted, and what could not
// be looked at for the same reason is named in one line.
func tellFindings(c *cobra.Command, found []doctor.Finding) error {
	if wantsJSON(c) {
		return printJSON(c, found)
	}
	out := c.OutOrStdout()
	count := make(map[doctor.Class]int)
	for _, class := range []doctor.Class{doctor.Bad, doctor.Warning, doctor.Note, doctor.Skipped} {
		lines, order := make(map[doctor.Finding][]string), []doctor.Finding{}
		for _, f := range found {
			if f.Class != class {
				continue
			}
			count[class]++
			alike := doctor.Finding{Said: f.Said, Do: f.Do}
			if lines[alike] == nil {
				order = append(order, alike)
			}
			lines[alike] = append(lines[alike], f.Check)
		}
		for _, f := range order {
			fmt.Fprintf(out, "%-8s %s: %s\n", class, strings.Join(lines[f], ", "), f.Said)
			if f.Do != "" {
				fmt.Fprintf(out, "         → %s\n", f.Do)
			}
		}
	}
	_, err := fmt.Fprintf(out, "\n%d bad, %d warnings, %d notes, %d not looked at, %d well\n", count[doctor.Bad], count[doctor.Warning], count[doctor.Note],
		count[doctor.Skipped], len(found)-count[doctor.Bad]-count[doctor.Warning]-count[doctor.Note]-count[doctor.Skipped])
	return err
}

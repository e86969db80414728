package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/label"
	"stele/internal/wire"
)

// program is what every command sees: the world, and the flags that were given.
type program struct {
	world
	flags

	unknown error // a command was named that there is not
}

// load reads the configuration.
func (p *program) load() (*config.Config, error) { return p.flags.load(p.world) }

// process is what a server sees of the world.
func (p *program) process() assembly.Process {
	format := "json"
	if terminal(p.stderr) {
		format = "text"
	}
	return assembly.Process{Load: p.load, Getenv: p.getenv, Log: p.stderr, LogFormat: format, Version: versionText()}
}

// onInstallation makes do what a command does: on the data folder and its database,
// whether a server is running there or not.
func (p *program) onInstallation(c *cobra.Command, do func(c *cobra.Command, h *assembly.Installation, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := p.load()
		if err != nil {
			return err
		}
		h, err := assembly.Open(c.Context(), cfg)
		if err != nil {
			return err
		}
		defer h.Close()
		if err := checkWorkspace(c, h); err != nil {
			return err
		}
		return do(c, h, args)
	}
	return c
}

// operator is who a command line acts as.
func operator() access.Principal { return access.CommandLine(access.DefaultWorkspace) }

// group is a command that has only others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.AddCommand(commands...)
	return c
}

// jsonFlag lets a command print JSON.
func jsonFlag(c *cobra.Command) *cobra.Command {
	c.Flags().Bool("json", false, "print JSON for scripts")
	return c
}

func wantsJSON(c *cobra.Command) bool {
	wanted, err := c.Flags().GetBool("json")
	return wanted && err == nil
}

// say prints v as JSON for scripts, or else a text.
func say(c *cobra.Command, v any, format string, args ...any) error {
	if wantsJSON(c) {
		return printJSON(c, v)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), format, args...)
	return err
}

// printTable prints a list as JSON for scripts, or else a row for each; none is what is
// said where there is nothing.
func printTable[T any](c *cobra.Command, list []T, none, header string, row func(T) []string) error {
	switch {
	case wantsJSON(c):
		return printJSON(c, list)
	case len(list) == 0 && none != "":
		_, err := fmt.Fprintln(c.OutOrStdout(), none)
		return err
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, header)
	for _, one := range list {
		cells := row(one)
		for i, cell := range cells {
			cells[i] = printable(cell)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// printable is a text as a terminal may show it: names of others neither break a line nor
// give it orders.
func printable(text string) string { return label.Clean(text, max(len(text), utf8.UTFMax*len(text))) }

func printJSON(c *cobra.Command, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", b)
	return err
}

// each is a list of what others are for scripts.
func each[T, V any](list []T, to func(T) V) []V {
	out := make([]V, len(list))
	for i, one := range list {
		out[i] = to(one)
	}
	return out
}

func maybe(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return textOrNil(wire.Time(t))
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orText(text *string, none string) string {
	if text == nil {
		return none
	}
	return *text
}

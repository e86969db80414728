package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/assembly"
)

// checkArguments has every command below c say in a sentence what is wrong with its arguments
// and flags, before it does anything.
func checkArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		checkArguments(sub)
	}
	if !c.Runnable() {
		return
	}
	count := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if count != nil {
			if err := count(c, args); err != nil {
				return refuseArguments(c, args)
			}
		}
		return checkFlags(c.Flags())
	}
}

// refuseArguments says that there are too many arguments, or too few.
func refuseArguments(c *cobra.Command, args []string) error {
	_, names, _ := strings.Cut(c.Use, " ")
	written := strings.TrimSpace(c.CommandPath() + " " + names)
	switch {
	case len(args) == 0:
		return fmt.Errorf("something is missing: write %s", written)
	case !c.HasParent():
		return refuseCommand(c, args[0])
	}
	return fmt.Errorf("%q is too much: write %s", args[len(args)-1], written)
}

// helpOrRefuse shows the help of a command, unless a command is named that it does not have: then
// it says so, which a script must not take for success.
func (p *program) helpOrRefuse(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if !c.Runnable() && c.Flags().NArg() > 0 {
			p.unknown = refuseCommand(c, c.Flags().Arg(0))
			return
		}
		show(c, args)
	}
}

// help is the command that shows the help of another.
func help() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command", Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && len(rest) == 0 {
				return found.Help()
			}
			if len(rest) == 0 {
				rest = args
			}
			return refuseCommand(cmp.Or(found, c.Root()), rest[0])
		},
	}
}

// refuseCommand says that a group has no such command.
func refuseCommand(c *cobra.Command, name string) error {
	meant := ""
	if near := c.SuggestionsFor(name); len(near) > 0 {
		meant = " did you mean " + near[0] + "?"
	}
	return fmt.Errorf("there is no command %q:%s %s --help lists them", c.CommandPath()+" "+name, meant, c.CommandPath())
}

// checkFlags refuses what no flag can mean: a time or a number below zero, and nothing where
// that would be taken for everything.
func checkFlags(set *pflag.FlagSet) (err error) {
	set.VisitAll(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		if _, needed := f.Annotations[cobra.BashCompOneRequiredFlag]; needed && !f.Changed {
			err = fmt.Errorf("--%s is missing", f.Name)
		}
		if !f.Changed {
			return
		}
		if other := findExcluded(set, f); other != "" {
			err = fmt.Errorf("--%s and --%s cannot both be meant", f.Name, other)
			return
		}
		switch text := f.Value.String(); f.Value.Type() {
		case "duration":
			if d, _ := time.ParseDuration(text); d < 0 || d == 0 && f.DefValue == "0s" && f.Name != "grace" {
				err = fmt.Errorf("--%s is more than nothing, such as 24h: leave it out where there is no such bound", f.Name)
			}
		case "int", "int64":
			if n, _ := strconv.ParseInt(text, 10, 64); n < 0 || n == 0 && f.Name == "limit" {
				err = fmt.Errorf("--%s cannot be %s", f.Name, text)
			}
		case "string":
			if text == "" && f.Name == "workspace" {
				err = errors.New("--workspace is empty")
			}
		}
	})
	return err
}

// findExcluded is a flag that was given beside f, although one of them says what the other denies.
func findExcluded(set *pflag.FlagSet, f *pflag.Flag) string {
	for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
		for name := range strings.FieldsSeq(group) {
			if name != f.Name && set.Changed(name) {
				return name
			}
		}
	}
	return ""
}

// refuseFlag says what a flag takes whose value cannot be read.
func refuseFlag(_ *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	takes := map[string]string{
		"duration": "a length of time such as 90m or 720h", "int": "a whole number", "int64": "a whole number", "intSlice": "whole numbers", "bool": "true or false",
	}[wrong.GetFlag().Value.Type()]
	if takes == "" {
		return err
	}
	return fmt.Errorf("--%s takes %s, not %q", wrong.GetFlag().Name, takes, wrong.GetValue())
}

// madeOnDemand is what commands say of a workspace that they make where there is none.
const madeOnDemand = "made if it does not exist"

// checkWorkspace refuses the name of a workspace that does not exist: what is made for it would
// be for no client, and what is asked of it seem to be nothing.
func checkWorkspace(c *cobra.Command, h *assembly.Installation) error {
	f := c.Flags().Lookup("workspace")
	if f == nil || !f.Changed || f.Usage == madeOnDemand {
		return nil
	}
	_, err := h.Access.Policy(c.Context(), operator(), f.Value.String())
	return refuseNoWorkspace(f.Value.String(), err)
}

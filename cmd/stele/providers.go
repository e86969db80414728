package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/console"
)

func newProviders(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "providers", Short: "List and test providers, of the file and of the console"}
	c.AddCommand(newProvidersList(w, f), newProvidersTest(w, f))
	return c
}

func newModels(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "models", Short: "List the models that clients can call"}
	c.AddCommand(newModelsList(w, f))
	return c
}

// wireProvider is a provider as scripts read it.
type wireProvider struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	BaseURL string   `json:"base_url"`
	Models  []string `json:"models"`
	KeptIn  string   `json:"kept_in"`
	Enabled bool     `json:"enabled"`
	Wrong   []string `json:"wrong"`
}

func newProvidersList(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List providers", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withSupply(c, w, f, func(s console.Supply) error {
				list := []wireProvider{}
				for _, p := range s.Providers() {
					one := wireProvider{
						Name: p.ID, Kind: p.Kind, BaseURL: p.BaseURL, Models: append([]string{}, p.Offers...), KeptIn: keptIn(p.Origin),
						Enabled: p.Enabled, Wrong: []string{},
					}
					for _, field := range slices.Sorted(maps.Keys(p.Wrong)) {
						one.Wrong = append(one.Wrong, p.Wrong[field])
					}
					list = append(list, one)
				}
				if asJSON {
					return printJSON(c, list)
				}
				return printProviders(c, list)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func keptIn(o console.Origin) string {
	switch {
	case o.Place == "":
		return "console"
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Place, o.Line)
	}
	return o.Place
}

func printProviders(c *cobra.Command, list []wireProvider) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "There are no providers yet: add one in the console, or to the configuration file.")
		return err
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tKIND\tBASE URL\tMODELS\tKEPT IN\tSTATE")
	for _, p := range list {
		state := "on"
		switch {
		case len(p.Wrong) > 0:
			state = "not in use: " + strings.Join(p.Wrong, " ")
		case !p.Enabled:
			state = "off"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, p.Kind, p.BaseURL, strings.Join(p.Models, ","), p.KeptIn, state)
	}
	return t.Flush()
}

// wireTrial is what came of a test, as scripts read it.
type wireTrial struct {
	Provider string   `json:"provider"`
	Works    bool     `json:"works"`
	Said     string   `json:"said"`
	Status   int      `json:"status"`
	TookMS   int64    `json:"took_ms"`
	Models   []string `json:"models"`
}

func newProvidersTest(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "test NAME", Short: "Make one cheap call to a provider and say what came back", Args: cobra.ExactArgs(1),
		Long: "Ask a provider for its list of models or, where it has none, have one of its models say a word.\n" +
			"The exit code is 1 where that fails.",
		RunE: func(c *cobra.Command, args []string) error {
			return withSupply(c, w, f, func(s console.Supply) error {
				trial, err := s.TestProvider(c.Context(), args[0])
				if errors.Is(err, access.ErrNotFound) {
					return fmt.Errorf("there is no provider %q that is in use: stele providers list shows them", args[0])
				}
				if err != nil {
					return err
				}
				return printTrial(c, args[0], trial, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func printTrial(c *cobra.Command, name string, trial console.Trial, asJSON bool) error {
	out := wireTrial{
		Provider: name, Works: trial.Problem == "", Said: trial.Problem, Status: trial.Status, TookMS: trial.Took.Milliseconds(),
		Models: append([]string{}, trial.Models...),
	}
	if out.Works {
		out.Said = "It " + trial.Did + "."
	}
	var err error
	if asJSON {
		err = printJSON(c, out)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s (status %d, %d ms)\n", name, out.Said, out.Status, out.TookMS)
	}
	if err == nil && !out.Works {
		err = errTold
	}
	return err
}

// wireModel is a model as scripts read it.
type wireModel struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Targets []string `json:"targets"`
	KeptIn  string   `json:"kept_in"`
	Wrong   []string `json:"wrong"`
}

func newModelsList(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List models", Args: cobra.NoArgs,
		Long: "List the models that are written down or built in. Those that a provider lists by itself are not asked for here:\n" +
			"GET /api/v1/models of the running server has them.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withSupply(c, w, f, func(s console.Supply) error {
				list := []wireModel{}
				for _, m := range s.Models() {
					list = append(list, toWireModel(&m))
				}
				if asJSON {
					return printJSON(c, list)
				}
				t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
				fmt.Fprintln(t, "ID\tTYPE\tSENT TO\tKEPT IN\tSTATE")
				for _, m := range list {
					state := "on"
					if len(m.Wrong) > 0 {
						state = "not in use: " + strings.Join(m.Wrong, " ")
					}
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", m.ID, m.Type, strings.Join(m.Targets, ", "), m.KeptIn, state)
				}
				return t.Flush()
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func toWireModel(m *console.Model) wireModel {
	out := wireModel{ID: m.ID, Type: "chat", Targets: []string{}, KeptIn: keptIn(m.Origin), Wrong: []string{}}
	if m.Media != nil {
		out.Type = m.Media.MediaType
		out.Targets = append(out.Targets, m.Media.Provider)
	}
	for _, t := range m.Targets {
		out.Targets = append(out.Targets, t.Provider+"/"+t.Model)
	}
	for _, field := range slices.Sorted(maps.Keys(m.Wrong)) {
		out.Wrong = append(out.Wrong, m.Wrong[field])
	}
	return out
}

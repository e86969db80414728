package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/catalog"
	"stele/internal/supply"
)

func (p *program) providers() *cobra.Command {
	return group("providers", "List and test providers, of the file and of the console", p.providersList(), p.providersTest())
}

func (p *program) models() *cobra.Command {
	return group("models", "List the models that clients can call", p.modelsList())
}

// onSupply makes do what a command does with providers and models.
func (p *program) onSupply(c *cobra.Command, do func(c *cobra.Command, s *supply.Supply, args []string) error) *cobra.Command {
	return p.onInstallation(jsonFlag(c), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		s, err := h.Supply(c.Context(), p.process())
		if err != nil {
			return err
		}
		return do(c, s, args)
	})
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

func toWireProvider(p supply.Provider) wireProvider {
	return wireProvider{
		Name: p.ID, Kind: p.Kind, BaseURL: p.BaseURL, Models: append([]string{}, p.Offers...), KeptIn: placeOf(p.Origin),
		Enabled: p.Enabled, Wrong: catalog.Sentences(p.Wrong),
	}
}

func (p *program) providersList() *cobra.Command {
	return p.onSupply(&cobra.Command{Use: "list", Short: "List providers", Args: cobra.NoArgs},
		func(c *cobra.Command, s *supply.Supply, _ []string) error {
			return printTable(c, each(s.Providers(c.Context()), toWireProvider), "There are no providers yet: add one in the console, or to the configuration file.",
				"NAME\tKIND\tBASE URL\tMODELS\tKEPT IN\tSTATE", func(p wireProvider) []string {
					return []string{p.Name, p.Kind, p.BaseURL, strings.Join(p.Models, ","), p.KeptIn, stateText(p.Enabled, p.Wrong)}
				})
		})
}

func stateText(enabled bool, wrong []string) string {
	switch {
	case len(wrong) > 0:
		return "not in use: " + strings.Join(wrong, " ")
	case !enabled:
		return "off"
	}
	return "on"
}

func placeOf(o supply.Origin) string {
	switch {
	case o.Place == "":
		return "console"
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Place, o.Line)
	}
	return o.Place
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

func (p *program) providersTest() *cobra.Command {
	return p.onSupply(&cobra.Command{
		Use: "test NAME", Short: "Make one cheap call to a provider and say what came back", Args: cobra.ExactArgs(1),
		Long: "Ask a provider for its list of models or, where it has none, have one of its models say a word.\n" +
			"The exit code is 1 where that fails.",
	}, func(c *cobra.Command, s *supply.Supply, args []string) error {
		trial, err := s.TestProvider(c.Context(), args[0])
		if errors.Is(err, access.ErrNotFound) {
			return fmt.Errorf("there is no provider %q that is in use: stele providers list shows them", args[0])
		}
		if err != nil {
			return err
		}
		v := wireTrial{
			Provider: args[0], Works: trial.Problem == "", Said: trial.Problem, Status: trial.Status,
			TookMS: trial.Took.Milliseconds(), Models: append([]string{}, trial.Models...),
		}
		if v.Works {
			v.Said = "It " + trial.Did + "."
		}
		err = say(c, v, "%s: %s (status %d, %d ms)\n", v.Provider, v.Said, v.Status, v.TookMS)
		if err == nil && !v.Works {
			err = errTold
		}
		return err
	})
}

// wireModel is a model as scripts read it, or a name that leads to one.
type wireModel struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Targets []string `json:"targets"`
	KeptIn  string   `json:"kept_in"`
	Wrong   []string `json:"wrong"`
}

func (p *program) modelsList() *cobra.Command {
	return p.onSupply(&cobra.Command{
		Use: "list", Short: "List models", Args: cobra.NoArgs,
		Long: "List the models that are written down or built in, and the names that lead clients to them: those for all,\n" +
			"not those of a workspace, which stele workspaces policy shows. What a provider lists by itself is not asked for here:\n" +
			"GET /api/v1/models of the running server has it.",
	}, func(c *cobra.Command, s *supply.Supply, _ []string) error {
		return printTable(c, append(each(s.Models(), toWireModel), each(s.Names(), nameToWireModel)...), "", "ID\tTYPE\tSENT TO\tKEPT IN\tSTATE", func(m wireModel) []string {
			return []string{m.ID, m.Type, strings.Join(m.Targets, ", "), m.KeptIn, stateText(true, m.Wrong)}
		})
	})
}

func toWireModel(m supply.Model) wireModel {
	out := wireModel{ID: m.ID, Type: "chat", Targets: []string{}, KeptIn: placeOf(m.Origin), Wrong: catalog.Sentences(m.Wrong)}
	if m.Media != nil {
		out.Type = m.Media.MediaType
		out.Targets = append(out.Targets, m.Media.Provider)
	}
	for _, t := range m.Targets {
		out.Targets = append(out.Targets, t.Provider+"/"+t.Model)
	}
	return out
}

func nameToWireModel(n supply.Name) wireModel {
	return wireModel{ID: n.Pattern, Type: "name", Targets: []string{n.Model}, KeptIn: placeOf(n.Origin), Wrong: catalog.Sentences(n.Wrong)}
}

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/app"
	"stele/internal/assembly"
	"stele/internal/supply"
)

func (p *program) apps() *cobra.Command {
	return group("apps", "List, show, check and run apps", p.appsList(), p.appsShow(), p.appsCheck(), p.appsRun())
}

// offeredApps are the apps that the configuration offers.
func (p *program) offeredApps() ([]app.Recipe, error) {
	cfg, err := p.load()
	if err != nil {
		return nil, err
	}
	offered, err := assembly.ReadContents(cfg)
	return offered.Apps, err
}

// appView is an app for scripts.
type appView struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Version     int         `json:"version"`
	MediaType   string      `json:"media_type"`
	Inputs      []inputView `json:"inputs"`
	Steps       []string    `json:"steps"`
	Models      []string    `json:"models"`
}

type inputView struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Media    string `json:"media,omitempty"`
	Required bool   `json:"required"`
	Default  any    `json:"default,omitzero"`
	Enum     []any  `json:"enum,omitempty"`
}

func viewOf(r app.Recipe) appView {
	v := appView{ID: r.ID, Name: r.Name, Description: r.Description, Version: r.Version, MediaType: r.MediaType}
	for _, in := range r.Inputs {
		v.Inputs = append(v.Inputs, inputView{in.Name, in.Type, in.Media, in.Required, in.Default, in.Values})
	}
	for i := range r.Steps {
		v.Steps = append(v.Steps, r.Steps[i].ID)
	}
	makers, talkers := r.Models()
	v.Models = slices.Compact(slices.Sorted(slices.Values(append(makers, talkers...))))
	return v
}

func (p *program) appsList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use: "list", Short: "List the apps that the configuration offers", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := p.offeredApps()
			if err != nil {
				return err
			}
			return printTable(c, each(list, viewOf), "", "ID\tMAKES\tVERSION\tSTEPS\tDESCRIPTION", func(v appView) []string {
				return []string{v.ID, v.MediaType, strconv.Itoa(v.Version), strconv.Itoa(len(v.Steps)), v.Description}
			})
		},
	})
}

func (p *program) appsShow() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use: "show ID", Short: "Show what an app takes and does", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := p.offeredApps()
			if err != nil {
				return err
			}
			i := slices.IndexFunc(list, func(r app.Recipe) bool { return r.ID == args[0] })
			if i < 0 {
				return fmt.Errorf("there is no app %q: stele apps list shows those there are", args[0])
			}
			if wantsJSON(c) {
				return printJSON(c, viewOf(list[i]))
			}
			return printApp(c, viewOf(list[i]))
		},
	})
}

func printApp(c *cobra.Command, v appView) error {
	fmt.Fprintf(c.OutOrStdout(), "%s, version %d\n%s\n\nMakes %s. Steps: %s. Models: %s.\n\n", v.Name, v.Version, v.Description,
		v.MediaType, strings.Join(v.Steps, ", "), strings.Join(v.Models, ", "))
	return printTable(c, v.Inputs, "", "INPUT\tTYPE\tDEFAULT\tVALUES", func(in inputView) []string {
		kind, standard := in.Type, ""
		if in.Media != "" {
			kind += " of " + in.Media + " files"
		}
		switch {
		case in.Required:
			standard = "required"
		case in.Default != nil:
			standard = fmt.Sprint(in.Default)
		}
		values := each(in.Enum, func(v any) string { return fmt.Sprint(v) })
		return []string{in.Name, kind, standard, strings.Join(values, ", ")}
	})
}

func (p *program) appsCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE…", Short: "Check app files and say where each mistake is", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := p.load()
			if err != nil {
				return err
			}
			models, err := assembly.MediaModels(cfg)
			if err != nil {
				return err
			}
			wrong := false
			for _, file := range args {
				r, err := supply.ReadApp(file, models)
				if err != nil {
					wrong = true
					fmt.Fprintln(c.ErrOrStderr(), err)
					continue
				}
				fmt.Fprintf(c.OutOrStdout(), "%s: ok (%s, %d inputs, %d steps)\n", file, r.ID, len(r.Inputs), len(r.Steps))
			}
			if wrong {
				return errTold
			}
			return nil
		},
	}
}

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/app"
	"stele/internal/assembly"
	"stele/internal/supply"
)

func newApps(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "apps", Short: "List, show, check and run apps"}
	c.AddCommand(newAppsList(w, f), newAppsShow(w, f), newAppsCheck(w, f), newAppsRun(w, f))
	return c
}

// offeredApps are the apps that the configuration offers.
func offeredApps(w world, f *flags) ([]app.Recipe, error) {
	cfg, err := f.load(w)
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

func viewOf(r *app.Recipe) appView {
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

func newAppsList(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the apps that the configuration offers", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := offeredApps(w, f)
			if err != nil {
				return err
			}
			if asJSON {
				views := make([]appView, len(list))
				for i := range list {
					views[i] = viewOf(&list[i])
				}
				return printJSON(c, views)
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
			fmt.Fprintln(t, "ID\tMAKES\tVERSION\tSTEPS\tDESCRIPTION")
			for _, r := range list {
				fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\n", r.ID, r.MediaType, r.Version, len(r.Steps), r.Description)
			}
			return t.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func newAppsShow(w world, f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show what an app takes and does", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := offeredApps(w, f)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(list, func(r app.Recipe) bool { return r.ID == args[0] })
			if i < 0 {
				return fmt.Errorf("there is no app %q: stele apps list shows those there are", args[0])
			}
			if asJSON {
				return printJSON(c, viewOf(&list[i]))
			}
			return printApp(c, viewOf(&list[i]))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	return c
}

func printApp(c *cobra.Command, v appView) error {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s, version %d\n%s\n\nMakes %s. Steps: %s. Models: %s.\n\n", v.Name, v.Version, v.Description,
		v.MediaType, strings.Join(v.Steps, ", "), strings.Join(v.Models, ", "))
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "INPUT\tTYPE\tDEFAULT\tVALUES")
	for _, in := range v.Inputs {
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
		var values []string
		for _, e := range in.Enum {
			values = append(values, fmt.Sprint(e))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", in.Name, kind, standard, strings.Join(values, ", "))
	}
	return t.Flush()
}

func newAppsCheck(w world, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE…", Short: "Check app files and say where each mistake is", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := f.load(w)
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

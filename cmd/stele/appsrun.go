package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/generation"
)

func (p *program) appsRun() *cobra.Command {
	var o order
	c := p.onServer(&cobra.Command{
		Use: "run ID", Short: "Run an app on the running server and show its steps as they go", Args: cobra.ExactArgs(1),
		Long: "Run an app on the running server, wait for it and save what was made.\n" +
			"A value that begins with @ is a file to upload; an input given several times is a list.",
		Example: "  stele apps run social-card --set headline='Paint the sea' -o card.png\n" +
			"  stele apps run watermark --set pictures=@one.jpg --set pictures=@two.jpg --set mark='© us' -o marked.jpg",
	}, &o.remote, func(c *cobra.Command, _ *config.Config, args []string) error {
		return o.runApp(c, "/api/v1/apps/"+url.PathEscape(args[0]))
	}, access.GroupApps, access.GroupFiles)
	c.Flags().StringArrayVar(&o.set, "set", nil, "an input of the app, such as headline=Hello or photo=@photo.jpg; may be repeated")
	o.addFlags(c, "run")
	return c
}

func (o *order) runApp(c *cobra.Command, path string) error {
	var about struct {
		Inputs []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		} `json:"input_parameters"`
	}
	if err := o.server().Get(c.Context(), path, &about); err != nil {
		return err
	}
	types := make(map[string]string)
	for _, in := range about.Inputs {
		types[in.Name] = in.Type
	}
	body, err := o.inputs(c.Context(), types)
	if err != nil {
		return err
	}
	var v generation.View
	if err := o.make(c, path+"/generations", body, &v, o.watch); err != nil {
		return err
	}
	switch {
	case o.dryRun && o.asJSON:
		return nil
	case o.dryRun:
		return say(c, v, "%s would cost up to %d credits ($%s)\n", v.App, v.Credits, v.USD)
	case v.Error != nil:
		return fmt.Errorf("the run %s: %s (%s)", v.Status, v.Error.Message, v.Error.Code)
	}
	if !o.asJSON {
		for _, text := range v.Result.Texts {
			fmt.Fprintln(c.OutOrStdout(), text)
		}
	}
	return o.save(c, v)
}

// inputs is the flat request of a run.
func (o *order) inputs(ctx context.Context, types map[string]string) ([]byte, error) {
	fields := make(map[string]any)
	if o.dryRun {
		fields["dry_run"] = true
	}
	for _, s := range o.set {
		name, text, err := cutSetting(s)
		if err != nil {
			return nil, err
		}
		var value any = text
		if path, file := strings.CutPrefix(text, "@"); file {
			kept, err := o.put(ctx, path)
			if err != nil {
				return nil, err
			}
			value = kept.ID
		} else if raw := jsontext.Value(text); raw.IsValid() && types[name] != "string" {
			value = raw
		}
		raw, whole := value.(jsontext.Value)
		switch list, _ := fields[name].([]any); {
		case types[name] != "array", whole && raw.Kind() == '[':
			fields[name] = value
		default:
			fields[name] = append(list, value)
		}
	}
	return json.Marshal(fields, json.Deterministic(true))
}

// watch tells every step as it begins, goes on and ends.
func (o *order) watch(ctx context.Context, out io.Writer, path string, v *generation.View) error {
	told := make(map[string]string)
	for {
		for _, s := range v.Steps {
			line := fmt.Sprintf("%-16s %s", s.ID, s.State)
			if s.Total > 0 {
				line += fmt.Sprintf(" %d/%d", s.Done, s.Total)
			}
			if s.State != "pending" && told[s.ID] != line {
				told[s.ID] = line
				fmt.Fprintf(out, "%3.0f%%  %s\n", v.Progress*100, line)
			}
		}
		if v.Status != "pending" && v.Status != "processing" {
			return nil
		}
		// A wait ends only with the run: short ones let the steps be seen.
		var next generation.View
		if err := o.server().Get(ctx, path+v.ID+"?wait=0.3", &next); err != nil {
			return err
		}
		*v = next
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/generation"
)

// order is a generation as it is asked for on the command line.
type order struct {
	remote

	model, mode, prompt, out string
	images, set              []string
	dryRun, asJSON           bool
}

func (p *program) generate() *cobra.Command {
	var o order
	c := p.onServer(&cobra.Command{
		Use: "generate --model MODEL --prompt TEXT", Short: "Make a picture, a clip or a sound on the running server", Args: cobra.NoArgs,
		Long: "Order a generation from the running server, wait for it and save what was made.\n" +
			"Several outputs are numbered: out.png, out-2.png. Without -o the addresses are printed.",
		Example: "  stele generate --model stele/canvas --prompt 'The sea at night' --set aspect_ratio=16:9 -o sea.png",
	}, &o.remote, func(c *cobra.Command, _ *config.Config, _ []string) error {
		body, err := o.body()
		if err != nil {
			return err
		}
		var v generation.View
		if err := o.make(c, "/api/v1/generations", body, &v, o.wait); err != nil {
			return err
		}
		switch {
		case o.dryRun && o.asJSON:
			return nil
		case o.dryRun:
			return say(c, v, "%s with %s would cost %d credits ($%s)\n", v.Mode, v.Model, v.Credits, v.USD)
		case v.Error != nil:
			return fmt.Errorf("the generation %s: %s (%s)", v.Status, v.Error.Message, v.Error.Code)
		}
		return o.save(c, v)
	}, access.GroupMedia, access.GroupFiles)
	c.Flags().StringVar(&o.model, "model", "stele/canvas", "the media model's id")
	c.Flags().StringVar(&o.mode, "mode", "", "what it is to do, where the inputs do not say")
	c.Flags().StringVar(&o.prompt, "prompt", "", "what is to be made")
	c.Flags().StringArrayVar(&o.images, "image", nil, "a picture to work on: an address or a file id; may be repeated")
	c.Flags().StringArrayVar(&o.set, "set", nil, "a parameter of the model, such as aspect_ratio=16:9; may be repeated")
	o.addFlags(c, "generation")
	return c
}

// addFlags adds what every order takes.
func (o *order) addFlags(c *cobra.Command, what string) {
	c.Flags().StringVarP(&o.out, "output", "o", "", "where to save what was made")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "check and price it, and make nothing")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the "+what+" as JSON for scripts")
}

// make places the order at a path and waits until it has ended.
func (o *order) make(c *cobra.Command, path string, body []byte, v *generation.View, wait func(context.Context, io.Writer, string, *generation.View) error) error {
	if err := o.server().Post(c.Context(), path, body, v); err != nil {
		return err
	}
	if !o.dryRun {
		if err := wait(c.Context(), c.ErrOrStderr(), path+"/", v); err != nil {
			return err
		}
	}
	if o.asJSON {
		return printJSON(c, *v)
	}
	return nil
}

// body is the flat request. A value that is JSON is taken as such.
func (o *order) body() ([]byte, error) {
	fields := map[string]any{"model": o.model}
	for name, text := range map[string]string{"mode": o.mode, "prompt": o.prompt} {
		if text != "" {
			fields[name] = text
		}
	}
	if len(o.images) > 0 {
		fields["image_urls"] = o.images
	}
	if o.dryRun {
		fields["dry_run"] = true
	}
	for _, s := range o.set {
		name, value, err := cutSetting(s)
		if err != nil {
			return nil, err
		}
		fields[name] = value
		if raw := jsontext.Value(value); raw.IsValid() {
			fields[name] = raw
		}
	}
	return json.Marshal(fields, json.Deterministic(true))
}

// cutSetting takes a --set apart.
func cutSetting(s string) (name, value string, err error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		err = fmt.Errorf("--set %q: write name=value", s)
	}
	return name, value, err
}

// wait shows how far the generation is until it has ended.
func (o *order) wait(ctx context.Context, out io.Writer, path string, v *generation.View) error {
	bar := progressbar.NewOptions(100, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(v.ID),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionSetVisibility(terminal(out)))
	defer func() { _ = bar.Finish() }()
	for v.Status == "pending" || v.Status == "processing" {
		_ = bar.Set(int(v.Progress * 100))
		var next generation.View
		if err := o.server().Get(ctx, path+v.ID+"?wait=1", &next); err != nil {
			return err
		}
		*v = next
	}
	return nil
}

// save downloads the outputs, or prints where they are.
func (o *order) save(c *cobra.Command, v generation.View) error {
	for n, made := range v.Outputs() { // what was asked for comes first, and has the name that was given
		name := made.URL
		if o.out != "" {
			name = outputPath(o.out, n, made.URL)
			if err := o.download(c.Context(), made.URL, name); err != nil {
				return err
			}
		}
		if !o.asJSON {
			fmt.Fprintln(c.OutOrStdout(), name)
		}
	}
	return nil
}

// outputPath is where to save an output: the first as it was said, the others with a
// number and the end that their own kind has.
func outputPath(name string, n int, address string) string {
	if n == 0 {
		return name
	}
	end := filepath.Ext(name)
	base := strings.TrimSuffix(name, end)
	if u, err := url.Parse(address); err == nil && path.Ext(u.Path) != "" {
		end = path.Ext(u.Path)
	}
	return fmt.Sprintf("%s-%d%s", base, n+1, end)
}

func (o *order) download(ctx context.Context, address, name string) error {
	body, err := o.server().Fetch(ctx, address)
	if err != nil {
		return err
	}
	defer body.Close()
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	return errors.Join(err, f.Close())
}

// terminal reports whether a person is at the other end.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/clients"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/manifest"
)

// noKey stands in settings in the place of a key that was not given.
const noKey = "YOUR-KEY"

// connecting is a client on its way to a server.
type connecting struct {
	remote

	client *clients.Client
	model  string // as it was asked for; "": the first of the operator's own
	home   string
	getenv func(string) string // of the person whose home it is
	write  bool
	given  bool // the key is the caller's
	listed []listedModel
}

// listedModel is a model in the server's list.
type listedModel struct {
	ID     string `json:"id"`
	Window int64  `json:"context_length"`
	Output int64  `json:"max_completion_tokens"`
}

func (p *program) connect() *cobra.Command {
	var t connecting
	c := p.onServer(&cobra.Command{
		Use: "connect CLIENT", Short: "Point an agent, an editor or a library at the server", Args: cobra.MaximumNArgs(1),
		Long: "Print what a client must be told to use the server, or write it into the client's own settings.\n" +
			"Then make a call in its dialect. Where nothing answers to the names that it asks for by itself, its settings name one model for all of them.\n\n" +
			"--write adds to the files that are there, or where a variable such as CODEX_HOME says that they are, and keeps a copy of each. It needs --key or STELE_API_KEY.\n\n" +
			"Clients: " + strings.Join(clients.IDs(), ", "),
		Example:   "  stele connect claude-code --url https://stele.example.com --key sk_live_… --write\n  stele connect ai-sdk --model fast",
		ValidArgs: clients.IDs(),
	}, &t.remote, func(c *cobra.Command, cfg *config.Config, _ []string) error { return t.run(c, cfg) }, access.GroupChat, access.GroupModels)
	c.PreRunE = func(c *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			return errors.New("which client? " + strings.Join(clients.IDs(), ", "))
		}
		var ok bool
		if t.client, ok = clients.ByID(args[0]); !ok {
			return fmt.Errorf("no client is called %q%s; the clients are %s", args[0], manifest.DidYouMean(args[0], clients.IDs()), strings.Join(clients.IDs(), ", "))
		}
		t.given = t.key != "" || p.getenv("STELE_API_KEY") != ""
		if t.write && !t.given {
			return errors.New("--write puts a key into the settings: give one with --key or STELE_API_KEY. stele keys create --name " + t.client.ID + " makes one")
		}
		t.getenv = func(string) string { return "" } // that of this shell is not about another's home
		if t.home == "" {
			t.getenv = p.getenv
			t.home, err = os.UserHomeDir()
		}
		return err
	}
	c.Flags().StringVar(&t.model, "model", "", "the model it is to use (default: the first of your own)")
	c.Flags().BoolVar(&t.write, "write", false, "write the settings into the client's own files")
	c.Flags().StringVar(&t.home, "home", "", "the home folder whose settings are written (default: yours)")
	return jsonFlag(c)
}

func (t *connecting) run(c *cobra.Command, cfg *config.Config) error {
	if err := t.server().Get(c.Context(), "/api/v1/models", &t.listed); err != nil {
		return fmt.Errorf("%s does not list its models: %w", t.url, err)
	}
	values := t.values()
	asked, err := t.askOwnNames(c.Context(), cfg, values)
	if err != nil {
		return err
	}
	values.Chosen = values.Chosen || len(asked.missing) > 0 // what it would ask for by itself, it would not get
	settings, err := t.client.Fill(values)
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		type shown struct {
			File  string `json:"file,omitempty"`
			Place string `json:"place,omitempty"` // where it is here
			Title string `json:"title,omitempty"`
			Text  string `json:"text"`
		}
		list := each(settings, func(s clients.Setting) shown {
			if s.File == "" {
				return shown{Title: s.Title, Text: s.Text}
			}
			return shown{File: s.File, Place: t.path(s), Text: s.Text}
		})
		return printJSON(c, map[string]any{"client": t.client.ID, "model": values.Model, "settings": list, "try": t.client.Try})
	}
	out := c.OutOrStdout()
	if !t.write {
		t.print(out, settings)
	}
	if err := t.check(c.Context(), cfg, values.Model); err != nil {
		return t.explainRefusal(values.Model, err)
	}
	fmt.Fprintf(out, "%s answers in the dialect of %s (%s).\n", values.Model, t.client.Name, t.client.Dialect)
	for _, name := range t.client.Outdoes(settings, t.getenv) {
		fmt.Fprintf(out, "%s is set in this environment, and %s goes by that rather than by these settings: unset it.\n", name, t.client.Name)
	}
	if t.write {
		if err := t.save(out, settings); err != nil {
			return err
		}
	}
	for _, s := range settings {
		for _, h := range s.Hindrances(t.path(s)) {
			fmt.Fprintf(out, "%s has %s, %s.\n", t.path(s), h.Key, h.Why)
		}
	}
	asked.tell(out, t.client, values.Model)
	t.printNext(out)
	return nil
}

// explainRefusal is why a model did not answer, in a whole sentence: an error of a server's own
// would be told without what it is about.
func (t *connecting) explainRefusal(model string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.ModelNotFound {
		ids := each(t.listed, func(m listedModel) string { return m.ID })
		return fmt.Errorf("%s has no model %q for this key%s; it has %s", t.url, model, manifest.DidYouMean(model, ids), strings.Join(ids, ", "))
	}
	return errors.New(model + " does not answer in the dialect of " + t.client.Name + " (" + t.client.Dialect + "): " + err.Error())
}

// values are what the settings are filled in with.
func (t *connecting) values() clients.Values {
	v := clients.Values{URL: t.url, Key: t.key, Model: t.model, Chosen: t.model != ""}
	if !t.given {
		v.Key = noKey
	}
	if v.Model == "" {
		v.Model = catalog.Sandbox
		if i := slices.IndexFunc(t.listed, func(m listedModel) bool { return !strings.HasPrefix(m.ID, config.Builtin+"/") }); i >= 0 {
			v.Model = t.listed[i].ID
		}
	}
	if i := slices.IndexFunc(t.listed, func(m listedModel) bool { return m.ID == v.Model }); i >= 0 && t.listed[i].Output > 0 {
		v.Window, v.Output = t.listed[i].Window, t.listed[i].Output
	}
	return v
}

func (t *connecting) print(out io.Writer, settings []clients.Setting) {
	for _, s := range settings {
		where := s.Title
		if s.File != "" {
			where = t.path(s)
			if below, ok := strings.CutPrefix(where, t.home+string(filepath.Separator)); ok {
				where = "~/" + filepath.ToSlash(below)
			}
		}
		fmt.Fprintf(out, "%s:\n\n", where)
		for line := range strings.SplitSeq(strings.TrimRight(s.Text, "\n"), "\n") {
			fmt.Fprintf(out, "    %s\n", line)
		}
		fmt.Fprintln(out)
	}
}

// path is where the client has a setting's file.
func (t *connecting) path(s clients.Setting) string { return s.Path(t.home, runtime.GOOS, t.getenv) }

// save writes what has a file, and prints the rest. A file that has to be changed by hand does not keep it
// from the others.
func (t *connecting) save(out io.Writer, settings []clients.Setting) error {
	var byHand []error
	for _, s := range settings {
		if s.File == "" {
			t.print(out, []clients.Setting{s})
			continue
		}
		w, err := clients.Write(t.path(s), s, time.Now())
		switch {
		case errors.Is(err, clients.ErrByHand):
			t.print(out, []clients.Setting{s})
			byHand = append(byHand, err)
		case err != nil:
			return err
		case w.Same:
			fmt.Fprintf(out, "%s has it already.\n", w.File)
		case w.Backup != "":
			fmt.Fprintf(out, "Wrote %s. What was there is in %s.\n", w.File, w.Backup)
		default:
			fmt.Fprintf(out, "Wrote %s.\n", w.File)
		}
	}
	return errors.Join(byHand...)
}

// check has one short turn with a model in the client's dialect.
func (t *connecting) check(ctx context.Context, cfg *config.Config, model string) error {
	most := int64(16)
	talk := talker{remote: t.remote, model: model, dialect: t.client.Dialect, out: io.Discard}
	if err := talk.speak(cfg); err != nil {
		return err
	}
	talk.talk.Sampling.MaxTokens = &most
	talk.talk.Messages = []chat.Message{{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: "Say hello."}}}}
	reply, err := talk.ask(ctx)
	if err != nil {
		return err
	}
	defer reply.Close()
	for _, err := range reply.Stream {
		if err != nil {
			return err
		}
	}
	return nil
}

// ownNames is what came of the names that a client asks for by itself.
type ownNames struct {
	missing []clients.Ask // nothing answers to them
	failing []string      // sentences about those that answer with an error
}

// askOwnNames asks for the names that the client asks for by itself, unless one model was chosen for all of them.
func (t *connecting) askOwnNames(ctx context.Context, cfg *config.Config, values clients.Values) (n ownNames, err error) {
	if values.Chosen {
		return n, nil
	}
	for _, ask := range t.client.Asks {
		err := t.check(ctx, cfg, ask.Name)
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.ModelNotFound {
			n.missing = append(n.missing, ask)
		} else if err != nil {
			n.failing = append(n.failing, fmt.Sprintf("%s, which it asks for, answers with an error: %v", ask.Name, err))
		}
	}
	return n, nil
}

// tell says what the settings name in the place of what nothing answers to, and how that could be otherwise.
func (n ownNames) tell(out io.Writer, client *clients.Client, model string) {
	for _, line := range n.failing {
		fmt.Fprintln(out, line)
	}
	if len(n.missing) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s asks for names of its own that no model here answers to, so its settings name %s for all of them.\n"+
		"To let it choose, take that out again and add to stele.yaml, or in the console under Names:\n\n    models:\n", client.Name, model)
	for _, ask := range n.missing {
		fmt.Fprintf(out, "      %s: %s   # it asks for %s\n", ask.Pattern, model, ask.Name)
	}
	fmt.Fprintln(out)
}

// printNext says what is left to do.
func (t *connecting) printNext(out io.Writer) {
	if t.client.Bridge {
		key := noKey
		if t.given {
			key = t.key
		}
		fmt.Fprintf(out, "Start the bridge, and leave it running:\n\n    stele bridge --url %s --key %s\n\n", t.url, key)
	}
	for _, note := range t.client.Notes {
		fmt.Fprintf(out, "- %s\n", note)
	}
	if t.client.Try != "" {
		fmt.Fprintf(out, "Try it: %s\n", t.client.Try)
	}
}

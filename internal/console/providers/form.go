package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/supply"
)

// providerForm is the form for an account, made from the rows of its kind.
type providerForm struct {
	New      bool
	ID       string
	Kind     supply.Kind
	BaseURL  string
	Key      *secretField
	Options  []optionField
	Models   string
	Revision int64
	Enabled  bool
	Problems map[string]string // field → sentence
}

// secretField is a secret that can be set, but not seen.
type secretField struct {
	Set   bool
	Since *page.Moment // nil: not known
}

// Note says that the secret is set and since when, or what is said of one that is not.
func (s *secretField) Note(unset string) string {
	switch {
	case !s.Set:
		return unset
	case s.Since == nil:
		return "set"
	}
	return "set " + s.Since.Near
}

// Ask is what the field of a secret that is set asks to be done.
func (s *secretField) Ask(verb string) string {
	if !s.Set {
		return ""
	}
	return verb + " a new one to replace it"
}

type optionField struct {
	supply.Option

	Label  string
	Value  string
	Secret *secretField // nil: it is none
}

// Note says whether the option has to be there.
func (o *optionField) Note() string {
	note := ""
	switch {
	case !o.Needed && o.Secret != nil && o.Keyless:
		note = "needed without an API key"
	case !o.Needed:
		note = "optional"
	}
	if o.Secret != nil {
		return o.Secret.Note(note)
	}
	return note
}

type newProviderPage struct {
	Form   *providerForm
	Groups []kindGroup
}

type kindGroup struct {
	Name  string
	Kinds []supply.Kind
}

func (c *Room) newProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	name := r.URL.Query().Get("kind")
	if name == "" {
		return c.newProviderPage(w, r, v, http.StatusOK, newProviderPage{Groups: kindGroups(c.Supply.Kinds())})
	}
	kind := c.kindOf(name)
	if kind.BaseURL == "" && kind.Dialect == "" && !kind.Makes {
		return fault.New(fault.NotFound, "There is no such kind of provider.")
	}
	form := c.providerFields(kind, nil)
	form.New, form.Enabled, form.ID = true, true, c.freeName(r.Context(), kind.Name)
	if kind.Dialect != "" && !kind.Unlisted {
		form.Models = "*"
	}
	return c.newProviderPage(w, r, v, http.StatusOK, newProviderPage{Form: &form})
}

func (c *Room) newProviderPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p newProviderPage) error {
	return c.Render(w, r, status, "provider_new", page.View{Title: "New provider", Active: "providers", Visitor: &v, Data: p})
}

// kindGroups puts the kinds under headlines.
func kindGroups(kinds []supply.Kind) []kindGroup {
	groups := []kindGroup{{Name: "Model makers and clouds"}, {Name: "On your own machines"}, {Name: "Images, video and sound"}}
	for _, k := range kinds {
		at := 0
		switch {
		case strings.Contains(k.BaseURL, "127.0.0.1"):
			at = 1
		case k.Dialect == "":
			at = 2
		}
		k.Title = cmp.Or(k.Title, k.Name)
		groups[at].Kinds = append(groups[at].Kinds, k)
	}
	return groups
}

// freeName is the kind's name, or with a number where that is taken.
func (c *Room) freeName(ctx context.Context, kind string) string {
	taken := make(map[string]bool)
	for _, p := range c.Supply.Providers(ctx) {
		taken[p.ID] = true
	}
	name := kind
	for n := 2; taken[name]; n++ {
		name = kind + "-" + strconv.Itoa(n)
	}
	return name
}

// providerFields is an empty form of a kind.
func (c *Room) providerFields(kind supply.Kind, secrets map[string]time.Time) providerForm {
	f := providerForm{Kind: kind, Key: c.secretField(secrets, "api_key")}
	for _, o := range kind.Options {
		field := optionField{Option: o, Label: providerLabel(o.Name)}
		if o.Secret {
			field.Secret = c.secretField(secrets, "options."+o.Name)
		}
		f.Options = append(f.Options, field)
	}
	return f
}

func (c *Room) secretField(secrets map[string]time.Time, name string) *secretField {
	at, set := secrets[name]
	return &secretField{Set: set, Since: c.At(at)}
}

func (c *Room) editProviderForm(p *supply.Provider, kind supply.Kind) providerForm {
	f := c.providerFields(kind, p.Secrets)
	f.ID, f.Models, f.Revision, f.Enabled, f.Problems = p.ID, strings.Join(p.Offers, "\n"), p.Revision, p.Enabled, fieldsOf(p.Wrong)
	if p.BaseURL != kind.BaseURL {
		f.BaseURL = p.BaseURL
	}
	for i := range f.Options {
		f.Options[i].Value = p.Options[f.Options[i].Name]
	}
	return f
}

func (c *Room) createProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := c.providerFields(c.kindOf(r.PostForm.Get("kind")), nil)
	form.New, form.Enabled, form.ID = true, true, strings.TrimSpace(r.PostForm.Get("id"))
	draft := form.read(r.PostForm)
	if form.ID == "" {
		form.Problems = map[string]string{"id": "Give it a name, such as " + form.Kind.Name + "."}
		return c.newProviderPage(w, r, v, http.StatusUnprocessableEntity, newProviderPage{Form: &form})
	}
	err := c.Supply.Save(r.Context(), v.Principal(), draft)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		form.Problems = fieldsOf(wrong.Fields)
		if said := form.Problems[""]; said != "" && len(wrong.Broken) == 0 { // all that is wrong with a new one as a whole is its name
			form.Problems["id"] = said
			delete(form.Problems, "")
		}
		return c.newProviderPage(w, r, v, http.StatusUnprocessableEntity, newProviderPage{Form: &form})
	}
	return c.Done(w, r, err, "/console/providers/"+form.ID+"?saved")
}

func (c *Room) updateProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	p, err := c.provider(r.Context(), id)
	if err != nil {
		return err
	}
	if p.Origin != (supply.Origin{}) {
		return fault.New(fault.PermissionDenied, "The provider is kept in %s. Change it there.", p.Origin.Place)
	}
	form := c.editProviderForm(p, c.kindOf(p.Kind))
	form.Revision = page.ReadRevision(r.PostForm.Get("revision"))
	err = c.Supply.Save(r.Context(), v.Principal(), form.read(r.PostForm))
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		form.Problems = fieldsOf(wrong.Fields)
		return c.providerPage(w, r, v, http.StatusUnprocessableEntity, id, providerPage{Form: &form})
	}
	return c.Done(w, r, catalog.NoSuchRecord(catalog.ProviderRecord, err), "/console/providers/"+id+"?saved")
}

// read takes over what was filled in, and says what that asks for. Secrets go
// into the draft only: the form is shown again, and they are not.
func (f *providerForm) read(v url.Values) catalog.Draft {
	f.BaseURL, f.Models = strings.TrimSpace(v.Get("base_url")), v.Get("models")
	d := catalog.Draft{
		Sort: catalog.ProviderRecord, ID: f.ID, Enabled: f.Enabled, Revision: f.Revision, Secrets: make(map[string]string),
	}
	secret := func(name string) {
		if text := strings.TrimSpace(v.Get(name)); text != "" {
			d.Secrets[name] = text
		} else if v.Has("forget " + name) {
			d.Forget = append(d.Forget, name)
		}
	}
	secret("api_key")
	options := make(map[string]string)
	for i := range f.Options {
		o := &f.Options[i]
		if o.Secret != nil {
			secret("options." + o.Name)
			continue
		}
		o.Value = strings.TrimSpace(v.Get("options." + o.Name))
		if o.Value != "" {
			options[o.Name] = o.Value
		}
	}
	fields := map[string]any{"kind": f.Kind.Name}
	if f.BaseURL != "" {
		fields["base_url"] = f.BaseURL
	}
	if len(options) > 0 {
		fields["options"] = options
	}
	if names := splitList(f.Models); len(names) > 0 {
		fields["models"] = names
	}
	d.Fields, _ = json.Marshal(fields) // texts and lists of them
	return d
}

// splitList gives what stands on lines, or between commas.
func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
}

// fieldsOf gathers problems at the fields of a form: that of a list's item is the
// list's.
func fieldsOf(wrong map[string]string) map[string]string {
	out := make(map[string]string)
	for _, path := range page.FieldNames(wrong) {
		field, _, inList := strings.Cut(path, "[")
		sentence := wrong[path]
		if _, told := out[field]; told && inList {
			continue // one at a time
		}
		out[field] = sentence
	}
	return out
}

// providerLabel is an option's name as a label.
func providerLabel(name string) string {
	text := strings.ReplaceAll(name, "_", " ")
	text = strings.ToUpper(text[:1]) + text[1:]
	return strings.NewReplacer("Api ", "API ", " url", " URL", " id", " ID").Replace(text)
}

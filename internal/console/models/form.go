package models

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/supply"
)

// modelForm is the form for a chat model, as it was filled in. Figures stay text:
// what is wrong with them is said by the check that reads the configuration file.
type modelForm struct {
	New          bool
	ID           string
	Name         string
	Description  string
	Targets      []targetField
	Strategy     string
	Retries      string
	Prices       []textField
	Timeouts     []textField
	Capabilities []abilityBox
	Tags         string
	Hide         bool
	Revision     int64
	Problems     map[string]string
}

type targetField struct {
	Provider, Model, Weight string
	Problem                 string
}

// textField is a field that is one of several alike.
type textField struct{ Name, Label, Value, Hint, Problem string }

type abilityBox struct {
	Name, About string
	Ticked      bool
}

// Label is the name as people read it.
func (b abilityBox) Label() string { return strings.ReplaceAll(b.Name, "_", " ") }

type modelFormPage struct {
	Form      *modelForm
	Providers []providerNames
}

// providerNames are the models that are known at a provider, to choose from.
type providerNames struct {
	ID    string
	Names []string
}

// Value and Label make it an option of a field.
func (p providerNames) Value() string { return p.ID }

// Label is its name.
func (p providerNames) Label() string { return p.ID }

// modelFields are the fields of a model in the words of the configuration file.
type modelFields struct {
	Name         string          `json:"name,omitempty"`
	Description  string          `json:"description,omitempty"`
	Targets      []modelTarget   `json:"targets"`
	Strategy     string          `json:"strategy,omitempty"`
	Retries      any             `json:"retries,omitempty"`
	Capabilities map[string]bool `json:"capabilities,omitempty"`
	Tags         []string        `json:"tags,omitempty"`
	Timeouts     map[string]any  `json:"timeouts,omitempty"`
	Price        map[string]any  `json:"price,omitempty"`
	HideUpstream bool            `json:"hide_upstream,omitempty"`
}

type modelTarget struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Weight   any    `json:"weight,omitempty"`
}

// knownAbilities are the capabilities that clients of the models list know.
var knownAbilities = []abilityBox{
	{Name: "tools", About: "Calls functions"},
	{Name: "attachments", About: "Reads images and files"},
	{Name: "reasoning", About: "Thinks before it answers"},
	{Name: "structured_output", About: "Answers by a JSON schema"},
}

func newModelForm() *modelForm {
	f := &modelForm{
		Strategy: "fallback", Retries: "2",
		Prices: []textField{
			{Name: "input", Label: "Input"}, {Name: "cached_input", Label: "Cached input"},
			{Name: "cache_write", Label: "Cache writes"}, {Name: "output", Label: "Output"},
		},
		Timeouts: []textField{
			{Name: "first_byte", Label: "First byte within", Hint: "2m"}, {Name: "gap", Label: "Silence at most", Hint: "2m"},
			{Name: "total", Label: "All within", Hint: "30m"},
		},
	}
	f.Capabilities = slices.Clone(knownAbilities)
	return f
}

// formOf is the form of a model that is kept in the database.
func formOf(m *supply.Model) *modelForm {
	f := newModelForm()
	var fields modelFields
	_ = json.Unmarshal(m.Fields, &fields) // what is wrong with it was said when it was saved
	f.ID, f.Name, f.Description, f.Revision = m.ID, fields.Name, fields.Description, m.Revision
	f.Tags, f.Hide = strings.Join(fields.Tags, ", "), fields.HideUpstream
	if fields.Strategy != "" {
		f.Strategy = fields.Strategy
	}
	if fields.Retries != nil {
		f.Retries = numberText(fields.Retries)
	}
	for _, t := range fields.Targets {
		f.Targets = append(f.Targets, targetField{Provider: t.Provider, Model: t.Model, Weight: numberText(t.Weight)})
	}
	for i := range f.Prices {
		f.Prices[i].Value = numberText(fields.Price[f.Prices[i].Name])
	}
	for i := range f.Timeouts {
		f.Timeouts[i].Value = numberText(fields.Timeouts[f.Timeouts[i].Name])
	}
	for name, can := range fields.Capabilities {
		i := slices.IndexFunc(f.Capabilities, func(b abilityBox) bool { return b.Name == name })
		if i < 0 {
			f.Capabilities, i = append(f.Capabilities, abilityBox{Name: name, About: "Your own word"}), len(f.Capabilities)
		}
		f.Capabilities[i].Ticked = can
	}
	f.tell(m.Wrong)
	return f
}

// numberText is a number of JSON as it is typed.
func numberText(v any) string {
	switch n := v.(type) {
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64)
	case string:
		return n
	}
	return ""
}

// read takes over what was filled in, and says what that asks for.
func (f *modelForm) read(v url.Values) catalog.Draft {
	f.Name, f.Description, f.Strategy = strings.TrimSpace(v.Get("name")), strings.TrimSpace(v.Get("description")), v.Get("strategy")
	f.Retries, f.Tags, f.Hide, f.Revision = strings.TrimSpace(v.Get("retries")), v.Get("tags"), v.Has("hide_upstream"), page.ReadRevision(v.Get("revision"))
	fields := modelFields{
		Name: f.Name, Description: f.Description, Strategy: f.Strategy, Retries: readNumber(f.Retries), Tags: commas(f.Tags), HideUpstream: f.Hide,
		Targets: []modelTarget{}, Price: make(map[string]any), Timeouts: make(map[string]any), Capabilities: make(map[string]bool),
	}
	f.Targets = nil
	for i, provider := range v["target_provider"] {
		t := targetField{Provider: provider, Model: strings.TrimSpace(nth(v["target_model"], i)), Weight: strings.TrimSpace(nth(v["target_weight"], i))}
		if t.Model == "" && (t.Provider == "" || i > 0) {
			continue // a row that was left empty
		}
		f.Targets = append(f.Targets, t)
		fields.Targets = append(fields.Targets, modelTarget{Provider: t.Provider, Model: t.Model, Weight: readNumber(t.Weight)})
	}
	for i := range f.Prices {
		p := &f.Prices[i]
		if p.Value = strings.TrimSpace(v.Get("price." + p.Name)); p.Value != "" {
			fields.Price[p.Name] = readNumber(p.Value)
		}
	}
	for i := range f.Timeouts {
		t := &f.Timeouts[i]
		if t.Value = strings.TrimSpace(v.Get("timeouts." + t.Name)); t.Value != "" {
			fields.Timeouts[t.Name] = t.Value
		}
	}
	for i := range f.Capabilities {
		box := &f.Capabilities[i]
		if box.Ticked = slices.Contains(v["capability"], box.Name); box.Ticked {
			fields.Capabilities[box.Name] = true
		}
	}
	d := catalog.Draft{Sort: catalog.ModelRecord, ID: f.ID, Enabled: true, Revision: f.Revision}
	d.Fields, _ = json.Marshal(fields) // texts, numbers and lists of them
	return d
}

// readNumber gives a number where the text is one, and else the text, for the check to
// complain about; nil where there is none.
func readNumber(text string) any {
	if text == "" {
		return nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return json.RawMessage(strconv.FormatFloat(n, 'f', -1, 64))
	}
	return text
}

func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// commas are the parts of a text between commas.
func commas(text string) (list []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// tell puts what is wrong beside the fields it is about.
func (f *modelForm) tell(wrong map[string]string) {
	f.Problems = make(map[string]string)
	for _, path := range page.FieldNames(wrong) {
		sentence := wrong[path]
		group, rest, _ := strings.Cut(path, ".")
		if i, ok := targetIndex(path); ok && i < len(f.Targets) {
			f.Targets[i].Problem = sentence
			continue
		}
		told := false
		for _, fields := range [][]textField{f.Prices, f.Timeouts} {
			for i := range fields {
				if fields[i].Name == rest && (group == "price" || group == "timeouts") {
					fields[i].Problem, told = sentence, true
				}
			}
		}
		if !told {
			f.Problems[path] = sentence
		}
	}
}

// targetIndex reads the place in targets[2].weight.
func targetIndex(path string) (int, bool) {
	rest, ok := strings.CutPrefix(path, "targets[")
	place, _, closed := strings.Cut(rest, "]")
	i, err := strconv.Atoi(place)
	return i, ok && closed && err == nil
}

func (c *Room) newModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f := newModelForm()
	f.New = true
	f.Targets = []targetField{{Provider: r.URL.Query().Get("provider"), Weight: "1"}}
	return c.modelFormPage(w, r, v, http.StatusOK, f)
}

func (c *Room) modelFormPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, f *modelForm) error {
	form := modelFormPage{Form: f}
	names := make(map[string][]string)
	for _, m := range c.Supply.Models() {
		if m.Media == nil && (m.Listed || m.Origin.Place == "built in") {
			for _, t := range m.Targets {
				names[t.Provider] = append(names[t.Provider], t.Model)
			}
		}
	}
	chat := make(map[string]bool)
	for _, k := range c.Supply.Kinds() {
		chat[k.Name] = k.Dialect != ""
	}
	for _, p := range c.Supply.Providers(r.Context()) {
		if chat[p.Kind] && len(p.Wrong) == 0 {
			form.Providers = append(form.Providers, providerNames{p.ID, names[p.ID]})
		}
	}
	form.Providers = append(form.Providers, providerNames{"stele", names["stele"]})
	for len(f.Targets) == 0 || f.New && len(f.Targets) < 2 { // without a script a spare row is all there is
		f.Targets = append(f.Targets, targetField{Weight: "1"})
	}
	title := "New model"
	if !f.New {
		title = "Edit " + f.ID
	}
	return c.Render(w, r, status, "model_form", page.View{Title: title, Active: "models", Visitor: &v, Data: form})
}

func (c *Room) editModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	m, err := c.ownModel(r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	return c.modelFormPage(w, r, v, http.StatusOK, formOf(m))
}

// ownModel is a model that may be changed here.
func (c *Room) ownModel(id string) (*supply.Model, error) {
	m, err := c.model(id)
	if err != nil {
		return nil, err
	}
	if m.Fields == nil {
		return nil, fault.New(fault.PermissionDenied, "The model is kept elsewhere. Change it there.")
	}
	return m, nil
}

func (c *Room) createModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f := newModelForm()
	f.New, f.ID = true, strings.TrimSpace(r.PostForm.Get("id"))
	return c.saveModel(w, r, v, f)
}

func (c *Room) updateModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	m, err := c.ownModel(r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	return c.saveModel(w, r, v, formOf(m))
}

func (c *Room) saveModel(w http.ResponseWriter, r *http.Request, v access.Visitor, f *modelForm) error {
	draft := f.read(r.PostForm)
	if f.New {
		draft.Revision = 0
	}
	if f.ID == "" {
		f.tell(map[string]string{"id": "Give it an id, such as fast."})
		return c.modelFormPage(w, r, v, http.StatusUnprocessableEntity, f)
	}
	err := c.Supply.Save(r.Context(), v.Principal(), draft)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		if said, about := wrong.Fields[""]; about && f.New && len(wrong.Broken) == 0 {
			wrong.Fields = map[string]string{"id": said}
		}
		f.tell(wrong.Fields)
		return c.modelFormPage(w, r, v, http.StatusUnprocessableEntity, f)
	}
	return c.Done(w, r, catalog.NoSuchRecord(catalog.ModelRecord, err), modelPath(f.ID)+"&saved")
}

package apps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/generation"
)

// appForm is what a visitor gives to an app: texts by the names of its inputs, as a
// form has them.
type appForm struct {
	recipe   *app.Recipe
	values   map[string][]string
	problems map[string]string // input → sentence
}

// appField is an input as the form shows it.
type appField struct {
	Name, Label, About string
	Control            string // text, long, number, choice, tick, ticks, lines or files
	Media              string
	Required, Many     bool
	Optional           bool // and there is no default either
	Value              string
	Ticked             bool
	Options            []appOption
	Ticks              map[string]bool // of the options
	Min, Max, Step     string
	Length             int
	Bounds, Hint       string // in words
	Files              []appFile
	Problem            string
}

type appOption struct{ Value, Label string }

// newAppForm is a form with the defaults in it.
func newAppForm(recipe *app.Recipe) *appForm {
	f := &appForm{recipe: recipe, values: make(map[string][]string), problems: make(map[string]string)}
	for i := range recipe.Inputs {
		f.set(recipe.Inputs[i].Name, recipe.Inputs[i].Default)
	}
	return f
}

// set takes a value over from where it has a type.
func (f *appForm) set(name string, v any) {
	if v != nil {
		f.values[name] = page.FormTexts(v)
	}
}

// fill takes over what an earlier run was given.
func (f *appForm) fill(o *generation.Order) {
	for i := range f.recipe.Inputs {
		in := &f.recipe.Inputs[i]
		if v, ok := o.Parameters[in.Name]; ok {
			f.set(in.Name, v)
		}
		if in.Media == "" {
			continue
		}
		f.values[in.Name] = nil
		for _, s := range o.Sources {
			if s.Field == in.Name {
				f.values[in.Name] = append(f.values[in.Name], s.File)
			}
		}
	}
}

// readAppForm reads what a browser sent. The names of inputs stand behind "in.".
func readAppForm(recipe *app.Recipe, sent url.Values) *appForm {
	f := &appForm{recipe: recipe, values: make(map[string][]string), problems: make(map[string]string)}
	for i := range recipe.Inputs {
		in := &recipe.Inputs[i]
		values := sent["in."+in.Name]
		if in.Type == "array" && appControl(in) != "ticks" {
			values = page.Lines(strings.Join(values, "\n"))
		}
		f.values[in.Name] = values
	}
	return f
}

// body is the request that the form stands for, as a program would send it.
func (f *appForm) body(dry bool) ([]byte, error) {
	fields := make(map[string]any)
	for i := range f.recipe.Inputs {
		in := &f.recipe.Inputs[i]
		given := f.values[in.Name]
		switch in.Type {
		case "boolean":
			fields[in.Name] = slices.Contains(given, "true")
		case "array":
			fields[in.Name] = page.ParseValues(in.Items, given)
		default:
			if text := strings.TrimSpace(strings.Join(given, "")); text != "" {
				fields[in.Name] = page.ParseValue(in.Type, page.Newlines(text))
			}
		}
	}
	if dry {
		fields["dry_run"] = true
	}
	return json.Marshal(fields, json.Deterministic(true))
}

// blame puts an error beside the input it is about. What is about none comes back.
func (f *appForm) blame(e *fault.Error) string {
	field, _ := e.Details["field"].(string)
	if slices.ContainsFunc(f.recipe.Inputs, func(in app.Input) bool { return in.Name == field }) {
		f.problems[field] = e.Message
		return ""
	}
	return e.Message
}

// appControl is how an input is asked for.
func appControl(in *app.Input) string {
	switch {
	case in.Media != "":
		return "files"
	case in.Type == "boolean":
		return "tick"
	case in.Type == "array" && len(in.Values) > 0:
		return "ticks"
	case in.Type == "array":
		return "lines"
	case len(in.Values) > 0:
		return "choice"
	case in.Type == "integer" || in.Type == "number":
		return "number"
	case in.MaxLength == 0 || in.MaxLength > 160:
		return "long"
	}
	return "text"
}

// showForm is the form as its template sees it.
func (c *Room) showForm(ctx context.Context, v access.Visitor, f *appForm) []appField {
	var list []appField
	for i := range f.recipe.Inputs {
		in := &f.recipe.Inputs[i]
		given := f.values[in.Name]
		field := appField{
			Name: in.Name, Label: cmp.Or(in.Label, page.InWords(in.Name)), About: in.Description, Control: appControl(in), Media: in.Media, Required: in.Required,
			Optional: !in.Required && in.Default == nil && in.Type != "boolean",
			Many:     in.Type == "array", Value: strings.Join(given, "\n"), Ticked: slices.Contains(given, "true"), Length: in.MaxLength,
			Problem: f.problems[in.Name], Ticks: make(map[string]bool),
		}
		field.Min, field.Max, field.Step = page.FormatBound(in.Min), page.FormatBound(in.Max), page.FormatBound(in.Step)
		if field.Step == "" && in.Type == "number" {
			field.Step = "any"
		}
		field.Bounds = appBounds(in)
		field.Hint = strings.TrimSpace(field.About + " " + field.Bounds)
		switch {
		case field.Control == "lines":
			field.Hint = strings.TrimSpace(field.About + " One per line. " + field.Bounds)
		case field.Control == "choice" && !in.Required && field.Value == "":
			field.Options = []appOption{{}} // none of them
		}
		for _, value := range in.Values {
			text := page.FormText(value)
			field.Options, field.Ticks[text] = append(field.Options, appOption{text, text}), slices.Contains(given, text)
		}
		if field.Control == "files" {
			field.Files = c.appFilesOf(ctx, v, given)
		}
		list = append(list, field)
	}
	return list
}

func appBounds(in *app.Input) string {
	from, to := page.FormatBound(in.Min), page.FormatBound(in.Max)
	switch {
	case in.Type == "array" && in.MaxItems > 0:
		return fmt.Sprintf("Up to %d.", in.MaxItems)
	case len(to) > 6: // the end of what a number can be
		return ""
	case from != "" && to != "":
		return "From " + from + " to " + to + "."
	case to != "":
		return "Up to " + to + "."
	case from != "":
		return "From " + from + " on."
	}
	return ""
}

const (
	filesRead  = 200 // of the newest, to find those of a kind
	filesShown = 24
)

// partsLimit is how many bytes a form with long texts may have.
const partsLimit = 512 << 10

// readParts reads a form that comes in parts into r.PostForm: the usual way to send
// one makes long texts several times longer.
func readParts(w http.ResponseWriter, r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, partsLimit)
	err := r.ParseMultipartForm(partsLimit) //nolint:gosec // bounded in the line before
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.BodyTooLarge, "This form has at most %d KB.", partsLimit>>10).With("limit", partsLimit)
	}
	if err != nil {
		return fault.New(fault.InvalidRequestBody, "The form cannot be read.").Because(err)
	}
	return page.CheckText(r.PostForm)
}

// appFile is a file that is given to an app, or could be.
type appFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"` // "" for an address
	URL  string `json:"url"`
}

// appFilesOf shows what a form names: files of the workspace, or addresses.
func (c *Room) appFilesOf(ctx context.Context, v access.Visitor, given []string) []appFile {
	var list []appFile
	for _, id := range page.FewFiles(given) {
		if id == "" {
			continue
		}
		f, err := c.Files.File(ctx, v.Session.Workspace, id)
		if err != nil {
			list = append(list, appFile{ID: id, Name: id})
			continue
		}
		list = append(list, c.appFile(f))
	}
	return list
}

func (c *Room) appFile(f *file.File) appFile {
	return appFile{f.ID, f.Name, f.Kind, page.LocalAddress(c.Files.Address(f))}
}

// pickFiles lists files of a kind that the workspace has already.
func (c *Room) pickFiles(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	files, err := c.Books.Files(r.Context(), v.Session.Workspace, filesRead)
	if err != nil {
		return err
	}
	kind := r.URL.Query().Get("kind")
	var list []appFile
	for i := range files {
		if files[i].Kind == kind && len(list) < filesShown {
			list = append(list, c.appFile(&files[i]))
		}
	}
	return c.Fragment(w, r, http.StatusOK, "app", "picks", page.View{Visitor: &v, Data: list})
}

// takeFile keeps a file that a person gives to an app.
func (c *Room) takeFile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Judge: func(f *file.File) error {
		if kind != "" && f.Kind != "" && f.Kind != kind {
			return fault.New(fault.UnsupportedFileType, "%s is no %s.", f.Name, appMedia(kind))
		}
		return nil
	}})
	if err != nil {
		return err
	}
	return page.WriteJSON(w, http.StatusCreated, c.appFile(f))
}

// appMedia is a kind of media in the words of the console.
func appMedia(kind string) string {
	return cmp.Or(map[string]string{"image": "picture", "video": "clip", "audio": "sound"}[kind], kind)
}

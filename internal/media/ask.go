package media

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/fault"
)

// Ask is a generation as a client asks for it: the fields of every request read,
// what belongs to the model not yet looked at.
//
// What is wrong with a request is told one thing at a time, in this order: the
// body is no JSON object; an internal field; a field of the wrong type; no
// model; a bad webhook_url. Then, once the model is found: the mode (Infer); a
// field that the mode does not take; a missing one; a value out of bounds; values
// that do not go together (Check). Among several of a sort the first in the
// order of the contract or of the model's file is told.
type Ask struct {
	Model         string
	Mode          string // "" where it is left to Infer
	Prompt        string
	Media         []Given // in the order of Inputs, lists in their own
	Public        bool
	CopyProtected bool
	Parameters    map[string]any // all other fields, as they were sent; nulls left out
	Extras
}

// Given is a file or address in a media field.
type Given struct{ Field, URL string }

// Extras are the fields that requests for apps have as well.
type Extras struct {
	Webhook string
	DryRun  bool
	Within  time.Duration // it is canceled by itself after that; 0: not
}

// Fields reads a flat request. Numbers stay as they are written. A null counts as
// absent, and an empty array as an empty object, which is how PHP writes it.
func Fields(body []byte) (map[string]any, error) {
	keep := json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, v *any) error {
		if in.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		number, err := in.ReadValue()
		*v = number.Clone()
		return err
	}))
	var fields map[string]any
	var list []any
	switch jsontext.Value(body).Kind() {
	case '{':
		if err := json.Unmarshal(body, &fields, keep); err != nil {
			return nil, fault.New(fault.InvalidRequestBody, "The request body is not valid JSON, or has a key twice.").Because(err)
		}
	case '[':
		if err := json.Unmarshal(body, &list, keep); err != nil || len(list) > 0 {
			return nil, fault.New(fault.InvalidRequestBody, "The request body must be a JSON object.").Because(err)
		}
	default:
		return nil, fault.New(fault.InvalidRequestBody, "The request body must be a JSON object.")
	}
	for name, v := range fields {
		if v == nil {
			delete(fields, name)
		}
	}
	return fields, nil
}

// Parse reads a generation request whose body Fields has read. It takes the fields of
// every request out of the map; what is left becomes Ask.Parameters.
func Parse(fields map[string]any) (Ask, error) {
	for _, name := range internal() {
		if _, ok := fields[name]; ok {
			return Ask{}, fault.New(fault.UnsupportedField, "%s is not a field of this route: %s.", name, sayInstead(name)).Field(name)
		}
	}
	a := Ask{CopyProtected: true, Parameters: fields}
	r := reader{fields: fields}
	r.readText("model", &a.Model)
	r.readText("mode", &a.Mode)
	r.readText("prompt", &a.Prompt)
	for _, field := range Inputs()[1:] {
		var list []string
		if Lists(field) {
			r.readTexts(field, &list)
		} else {
			list = make([]string, 1)
			r.readText(field, &list[0])
			list = slices.DeleteFunc(list, empty)
		}
		for _, address := range list {
			a.Media = append(a.Media, Given{field, address})
		}
	}
	r.flag("is_public", &a.Public)
	r.flag("copy_protected", &a.CopyProtected)
	extras, err := r.extras()
	if r.err != nil {
		return Ask{}, r.err
	}
	if empty(a.Model) {
		return Ask{}, fault.Missing("model")
	}
	a.Extras = extras
	return a, err
}

// sayInstead says what to send in the place of an internal field.
func sayInstead(name string) string {
	switch name {
	case "images", "image_input":
		return "use image_urls"
	case "video_input":
		return "use video_urls"
	case "audio_input":
		return "use audio_urls"
	case "input", "options":
		return "send what is in it beside model and prompt"
	case "scene", "sub_mode_id", "subModeId":
		return "use mode"
	}
	return "leave it out"
}

// ParseExtras takes webhook_url and dry_run out of a request for an app.
func ParseExtras(fields map[string]any) (Extras, error) {
	r := reader{fields: fields}
	extras, err := r.extras()
	if r.err != nil {
		return Extras{}, r.err
	}
	return extras, err
}

// Gives reports whether something was given in a field of the input.
func (a *Ask) Gives(field string) bool {
	if field == "prompt" {
		return !empty(a.Prompt)
	}
	return slices.ContainsFunc(a.Media, func(g Given) bool { return g.Field == field })
}

// reader takes fields out of a request. The first of the wrong type is its err.
type reader struct {
	fields map[string]any
	err    error
}

func (r *reader) readText(name string, into *string) {
	if v, ok := r.take(name); ok {
		if *into, ok = v.(string); !ok {
			r.complain(name, "a text")
		}
		r.checkStorable(name, *into)
	}
}

func (r *reader) flag(name string, into *bool) {
	if v, ok := r.take(name); ok {
		if *into, ok = v.(bool); !ok {
			r.complain(name, "true or false")
		}
	}
}

func (r *reader) readTexts(name string, into *[]string) {
	v, ok := r.take(name)
	if !ok {
		return
	}
	list, ok := v.([]any)
	for _, item := range list {
		text, is := item.(string)
		ok = ok && is
		*into = append(*into, text)
	}
	if !ok {
		r.complain(name, "a list of texts")
	}
	for _, text := range *into {
		r.checkStorable(name, text)
	}
}

func (r *reader) checkStorable(name, text string) {
	if !isStorable(text) {
		r.complain(name, withoutNUL)
	}
}

// extras reads webhook_url and dry_run. A bad address is told apart from a wrong type.
func (r *reader) extras() (Extras, error) {
	var e Extras
	r.readText("webhook_url", &e.Webhook)
	r.flag("dry_run", &e.DryRun)
	if e.Webhook == "" {
		return e, nil
	}
	u, err := url.Parse(e.Webhook)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || len(e.Webhook) > 2048 {
		return e, fault.New(fault.InvalidParameter, "webhook_url takes an http or https address without user name.").
			Field("webhook_url").With("got", shorten(e.Webhook)).With("allowed", "https://…")
	}
	return e, nil
}

func (r *reader) take(name string) (any, bool) {
	v, ok := r.fields[name]
	delete(r.fields, name)
	return v, ok && v != nil
}

func (r *reader) complain(name, want string) {
	if r.err == nil {
		r.err = fault.New(fault.InvalidRequestBody, "%s takes %s.", name, want).Field(name)
	}
}

// withoutNUL is what a field takes that was given a text with a NUL: to say that it takes
// a text would not tell what is wrong.
const withoutNUL = "text without the character U+0000"

// isStorable reports whether a text holds no NUL, which not every database keeps.
func isStorable(text string) bool { return !strings.Contains(text, "\x00") }

func empty(text string) bool { return strings.TrimSpace(text) == "" }

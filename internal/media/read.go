package media

import (
	"math"
	"regexp"
	"slices"

	"stele/internal/manifest"
)

var (
	modelID   = regexp.MustCompile(`^[A-Za-z0-9._:/@+-]{1,200}$`)
	snakeCase = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// Read reads a model file: one model, strictly. The error is manifest.Problems.
func Read(file string, src []byte) (Model, error) {
	var m Model
	doc := manifest.Decode(file, src, &m, manifest.Options{})
	m.check(doc)
	if m.Name == "" {
		m.Name = m.ID
	}
	return m, doc.Err()
}

func (m *Model) check(doc *manifest.Doc) {
	if !modelID.MatchString(m.ID) {
		doc.Problem(manifest.At("model"), "a model id is made of letters, digits and ._:/@+-")
	}
	oneOf(doc, manifest.At("media_type"), m.MediaType, Types())
	if len(m.Operations) == 0 {
		doc.Problem(manifest.At("operations"), "a model needs at least one operation")
	}
	modes := make(map[string]bool)
	for i, o := range m.Operations {
		at := manifest.At("operations", i)
		if !snakeCase.MatchString(o.Mode) {
			doc.Problem(at.Add("mode"), "a mode is a name in lower case, such as text_to_image")
		} else if modes[o.Mode] {
			doc.Problem(at.Add("mode"), "%q is here twice", o.Mode)
		}
		modes[o.Mode] = true
		for j, field := range o.Input.Required {
			oneOf(doc, at.Add("input", "required", j), field, Inputs())
		}
		for j, field := range o.Input.Optional {
			oneOf(doc, at.Add("input", "optional", j), field, Inputs())
		}
		CheckParameters(doc, at.Add("parameters"), o.Parameters)
	}
}

// CheckParameters reports what is wrong with a list of parameters at a place in a file.
func CheckParameters(doc *manifest.Doc, at manifest.Path, list []Parameter) {
	names := make(map[string]bool)
	for i, p := range list {
		at := at.Add(i)
		if !snakeCase.MatchString(p.Name) {
			doc.Problem(at.Add("name"), "a parameter's name is in lower case, such as aspect_ratio")
		} else if names[p.Name] {
			doc.Problem(at.Add("name"), "%q is here twice", p.Name)
		}
		names[p.Name] = true
		if !oneOf(doc, at.Add("type"), p.Type, ParameterTypes()) {
			continue
		}
		if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
			doc.Problem(at.Add("min"), "is above max")
		}
		for j, v := range p.Values {
			if !p.fits(v) {
				doc.Problem(at.Add("enum", j), "is no %s", p.Type)
			}
		}
		switch {
		case p.Default == nil:
		case !p.fits(p.Default):
			doc.Problem(at.Add("default"), "is no %s", p.Type)
		case len(p.Values) > 0 && !slices.ContainsFunc(p.Values, func(v any) bool { return same(v, p.Default) }):
			doc.Problem(at.Add("default"), "is not one of enum")
		case !p.within(p.Default):
			doc.Problem(at.Add("default"), "is not between min and max")
		}
	}
}

// fits reports whether v has the parameter's type. An integer may be written 5.0.
func (p *Parameter) fits(v any) bool {
	switch p.Type {
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	}
	n, ok := number(v)
	return ok && (p.Type == "number" || n == math.Trunc(n))
}

func (p *Parameter) within(v any) bool {
	n, ok := number(v)
	return !ok || ((p.Min == nil || n >= *p.Min) && (p.Max == nil || n <= *p.Max))
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func same(a, b any) bool {
	x, ok := number(a)
	y, also := number(b)
	if ok && also {
		return x == y
	}
	text, ok := a.(string)
	other, also := b.(string)
	return (ok && also && text == other) || (a == true && b == true) || (a == false && b == false)
}

func oneOf(doc *manifest.Doc, at manifest.Path, got string, known []string) bool {
	if slices.Contains(known, got) {
		return true
	}
	doc.Problem(at, "%q is not one of %v%s", got, known, manifest.DidYouMean(got, known))
	return false
}

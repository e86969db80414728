package app

import (
	"maps"
	"reflect"
	"slices"

	"stele/internal/manifest"
	"stele/internal/media"
)

// Check holds an app that was just read against the media models there are: that
// each is offered, has the mode, takes the fields it is given, and is given those
// it needs. The error is manifest.Problems. It must not be called by two at once.
func (r *Recipe) Check(model func(id string) *media.Model) error {
	doc := r.doc
	before := len(doc.Problems())
	for i := range r.Steps {
		s := &r.Steps[i]
		g := s.generates()
		if g == nil {
			continue
		}
		at := manifest.At("steps", i, "generate")
		if s.Generate == nil {
			at = manifest.At("steps", i, "file")
		}
		m := model(g.Model)
		if m == nil {
			doc.Report(at.Add("model"), "the media model %q is not offered here", g.Model)
			continue
		}
		if s.Generate != nil {
			s.checkOrder(doc, at, m)
		}
	}
	found := doc.Problems()
	if len(found) == before {
		return nil
	}
	return found
}

func (s *Step) checkOrder(doc *manifest.Doc, at manifest.Path, m *media.Model) {
	o := m.Operation(s.Generate.Mode)
	switch {
	case o == nil && s.Generate.Mode != "":
		doc.Report(at.Add("mode"), "%s has no mode %q%s", m.ID, s.Generate.Mode, manifest.DidYouMean(s.Generate.Mode, m.Modes()))
		return
	case o == nil && len(m.Operations) == 1:
		o = &m.Operations[0]
	case o == nil:
		doc.Report(at.Add("mode"), "is missing: %s has %v", m.ID, m.Modes())
		return
	}
	fields := s.parts["with"].fields
	needed := slices.Clone(o.Input.Required)
	known := append(slices.Concat(o.Input.Required, o.Input.Optional), "is_public", "copy_protected")
	for _, p := range o.Parameters {
		if known = append(known, p.Name); p.Required {
			needed = append(needed, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := at.Add("with", name)
		if !slices.Contains(known, name) {
			doc.Report(at, "%s takes no %s in mode %s%s", m.ID, name, o.Mode, manifest.DidYouMean(name, known))
			continue
		}
		checkField(doc, at, o, name, fields[name])
	}
	for _, name := range needed {
		if fields[name] == nil {
			doc.Report(at.Add("with"), "%s is missing: mode %s of %s needs it", name, o.Mode, m.ID)
		}
	}
}

// checkField holds a field against what the model takes: its type where it is an
// expression, its value where it is written out.
func checkField(doc *manifest.Doc, at manifest.Path, o *media.Operation, name string, t *template) {
	p := o.Parameter(name)
	switch {
	case p == nil && media.Takes(name) != "":
		if !t.may([]reflect.Kind{reflect.String, reflect.Slice}) {
			doc.Report(at, "must be a file or a list of files")
		}
	case p == nil:
	case t.program == nil && t.pieces == nil && t.list == nil && t.fields == nil && t.literal != nil:
		if _, err := media.Values([]media.Parameter{optional(*p)}, map[string]any{name: t.literal}); err != nil {
			doc.Report(at, "%s", wordsOf(err))
		}
	case !t.may(sorts(p.Type)):
		doc.Report(at, "must be %s", article(p.Type))
	}
}

func optional(p media.Parameter) media.Parameter {
	p.Required = false
	return p
}

// sorts are the Go sorts of values that a type of parameter takes.
func sorts(kind string) []reflect.Kind {
	switch kind {
	case "string":
		return []reflect.Kind{reflect.String}
	case "boolean":
		return []reflect.Kind{reflect.Bool}
	case "array":
		return []reflect.Kind{reflect.Slice}
	}
	return []reflect.Kind{reflect.Int, reflect.Float64}
}

func article(kind string) string {
	if kind == "integer" || kind == "array" {
		return "an " + kind
	}
	return "a " + kind
}

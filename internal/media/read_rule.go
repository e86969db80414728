package media

import (
	"slices"

	"stele/internal/manifest"
)

// checkRules checks rules of a body that serve these operations.
func (c check) checkRules(at manifest.Path, list []Rule, m *Model, serve []*Operation) {
	for i := range list {
		r := ruling{check: c, at: at.Add(i), Rule: &list[i], model: m, serve: serve}
		r.checkForm()
		r.checkCondition(r.at.Add("when"), r.When)
		r.checkCondition(r.at.Add("unless"), r.Unless)
	}
}

// ruling is a rule that is being checked.
type ruling struct {
	check
	*Rule

	at    manifest.Path
	model *Model
	serve []*Operation
}

// checkForm finds out which of the four forms the rule has, and checks that.
func (r ruling) checkForm() {
	switch {
	case r.has("copy"):
		r.allowOnly("copy")
		for _, path := range sortedKeys(r.Copy) {
			r.checkPath(r.at.Add("copy", path), path)
			r.checkKnown(r.at.Add("copy", path), r.Copy[path], "item")
		}
	case r.has("spread"):
		r.allowOnly("spread", "keys", "value", "map")
		if r.checkKnown(r.at.Add("spread"), r.Spread, builtin()...) && !r.isList(r.Spread) {
			r.Report(r.at.Add("spread"), "%q is no list", r.Spread)
		}
		if len(r.Keys) == 0 {
			r.Report(r.at.Add("keys"), "needs the places, one for each element")
		}
		for i, path := range r.Keys {
			r.checkPath(r.at.Add("keys", i), path)
		}
		r.checkTemplate(r.at.Add("value"), r.Value, r.Spread)
		r.checkTranslation()
	case r.has("table"):
		r.allowOnly("to", "table", "keys", "else")
		r.checkPath(r.at.Add("to"), r.To)
		r.checkLookup()
	default:
		r.allowOnly("to", "value", "each", "map")
		r.checkPath(r.at.Add("to"), r.To)
		if r.Value == nil {
			r.Report(r.at.Add("value"), "is missing: a rule has to and value, to and table, copy, or spread")
		}
		if r.has("each") && r.checkKnown(r.at.Add("each"), r.Each, builtin()...) && !r.isList(r.Each) {
			r.Report(r.at.Add("each"), "%q is no list", r.Each)
		}
		r.checkTemplate(r.at.Add("value"), r.Value, r.Each)
		r.checkTranslation()
	}
}

func (r ruling) has(name string) bool { return r.Has(r.at.Add(name)) }

// allowOnly refuses fields that this form of rule does not have.
func (r ruling) allowOnly(names ...string) {
	for _, name := range []string{"to", "value", "copy", "each", "spread", "map", "table", "keys", "else"} {
		if r.has(name) && !slices.Contains(names, name) {
			r.Report(r.at.Add(name), "has no meaning beside %s", names[0])
		}
	}
}

func (r ruling) checkPath(at manifest.Path, text string) {
	if _, err := parsePath(text); err != nil {
		r.Report(at, "%v", err)
	}
}

// checkKnown reports whether a name is a field of one of the operations, or built in
// and not without. If not it says so.
func (r ruling) checkKnown(at manifest.Path, name string, without ...string) bool {
	var names []string
	for _, o := range r.serve {
		names = append(names, o.fields()...)
	}
	for _, built := range builtin() {
		if !slices.Contains(without, built) {
			names = append(names, built)
		}
	}
	if slices.Contains(names, name) {
		return true
	}
	r.Report(at, "there is no %q here%s", name, manifest.DidYouMean(name, names))
	return false
}

// isList reports whether a field is a list in every operation that has it.
func (r ruling) isList(name string) bool {
	return Lists(name) || r.every(name, func(p *Parameter) bool { return p.Type == "array" })
}

// every reports whether the parameter of a name fits wherever there is one, and
// that there is one.
func (r ruling) every(name string, fits func(*Parameter) bool) bool {
	found := false
	for _, o := range r.serve {
		if p := o.Parameter(name); p != nil {
			if found = true; !fits(p) {
				return false
			}
		}
	}
	return found
}

// checkTemplate checks the references in a template. Items are those of a list.
func (r ruling) checkTemplate(at manifest.Path, v any, list string) {
	switch v := v.(type) {
	case string:
		ref, is, err := ParseReference(v)
		if err != nil {
			r.Report(at, "%v", err)
			return
		}
		if is {
			r.checkReference(at, ref, list)
		}
	case []any:
		for i, item := range v {
			r.checkTemplate(at.Add(i), item, list)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			r.checkTemplate(at.Add(key), v[key], list)
		}
	}
}

func (r ruling) checkReference(at manifest.Path, ref Reference, list string) {
	if ref.Name == "item" && list == "" {
		r.Report(at, "$item is the element of each or spread, and there is neither")
		return
	}
	if !r.checkKnown(at, ref.Name) {
		return
	}
	field := ref.Name
	if field == "item" {
		field = list
	}
	if ref.Part != "" && Takes(field) == "" {
		r.Report(at, "$%s is no file, so it has no %s", ref.Name, ref.Part)
	}
	if ref.Index >= 0 && !r.isList(ref.Name) {
		r.Report(at, "$%s is no list", ref.Name)
	}
	if ref.Name == "graph" && r.model.Call.Graph == "" {
		r.Report(at, "there is no graph_file")
	}
}

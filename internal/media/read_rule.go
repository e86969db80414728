package media

import (
	"slices"

	"stele/internal/manifest"
)

// rules checks rules of a body that serve these operations.
func (c check) rules(at manifest.Path, list []Rule, m *Model, serve []*Operation) {
	for i := range list {
		r := ruling{check: c, at: at.Add(i), Rule: &list[i], model: m, serve: serve}
		r.form()
		r.condition(r.at.Add("when"), r.When)
		r.condition(r.at.Add("unless"), r.Unless)
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

// form finds out which of the four forms the rule has, and checks that.
func (r ruling) form() {
	switch {
	case r.has("copy"):
		r.only("copy")
		for _, path := range sortedKeys(r.Copy) {
			r.path(r.at.Add("copy", path), path)
			r.known(r.at.Add("copy", path), r.Copy[path], "item")
		}
	case r.has("spread"):
		r.only("spread", "keys", "value", "map")
		if r.known(r.at.Add("spread"), r.Spread, builtin()...) && !r.listed(r.Spread) {
			r.Problem(r.at.Add("spread"), "%q is no list", r.Spread)
		}
		if len(r.Keys) == 0 {
			r.Problem(r.at.Add("keys"), "needs the places, one for each element")
		}
		for i, path := range r.Keys {
			r.path(r.at.Add("keys", i), path)
		}
		r.template(r.at.Add("value"), r.Value, r.Spread)
		r.translation()
	case r.has("table"):
		r.only("to", "table", "keys", "else")
		r.path(r.at.Add("to"), r.To)
		r.lookup()
	default:
		r.only("to", "value", "each", "map")
		r.path(r.at.Add("to"), r.To)
		if r.Value == nil {
			r.Problem(r.at.Add("value"), "is missing: a rule has to and value, to and table, copy, or spread")
		}
		if r.has("each") && r.known(r.at.Add("each"), r.Each, builtin()...) && !r.listed(r.Each) {
			r.Problem(r.at.Add("each"), "%q is no list", r.Each)
		}
		r.template(r.at.Add("value"), r.Value, r.Each)
		r.translation()
	}
}

func (r ruling) has(name string) bool { return r.Has(r.at.Add(name)) }

// only refuses fields that this form of rule does not have.
func (r ruling) only(names ...string) {
	for _, name := range []string{"to", "value", "copy", "each", "spread", "map", "table", "keys", "else"} {
		if r.has(name) && !slices.Contains(names, name) {
			r.Problem(r.at.Add(name), "has no meaning beside %s", names[0])
		}
	}
}

func (r ruling) path(at manifest.Path, text string) {
	if _, err := parsePath(text); err != nil {
		r.Problem(at, "%v", err)
	}
}

// known reports whether a name is a field of one of the operations, or built in
// and not without. If not it says so.
func (r ruling) known(at manifest.Path, name string, without ...string) bool {
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
	r.Problem(at, "there is no %q here%s", name, manifest.DidYouMean(name, names))
	return false
}

// listed reports whether a field is a list in every operation that has it.
func (r ruling) listed(name string) bool {
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

// template checks the references in a template. Items are those of a list.
func (r ruling) template(at manifest.Path, v any, list string) {
	switch v := v.(type) {
	case string:
		ref, is, err := ParseReference(v)
		if err != nil {
			r.Problem(at, "%v", err)
			return
		}
		if is {
			r.reference(at, ref, list)
		}
	case []any:
		for i, item := range v {
			r.template(at.Add(i), item, list)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			r.template(at.Add(key), v[key], list)
		}
	}
}

func (r ruling) reference(at manifest.Path, ref Reference, list string) {
	if ref.Name == "item" && list == "" {
		r.Problem(at, "$item is the element of each or spread, and there is neither")
		return
	}
	if !r.known(at, ref.Name) {
		return
	}
	field := ref.Name
	if field == "item" {
		field = list
	}
	if ref.Part != "" && Takes(field) == "" {
		r.Problem(at, "$%s is no file, so it has no %s", ref.Name, ref.Part)
	}
	if ref.Index >= 0 && !r.listed(ref.Name) {
		r.Problem(at, "$%s is no list", ref.Name)
	}
	if ref.Name == "graph" && r.model.Call.Graph == "" {
		r.Problem(at, "there is no graph_file")
	}
}

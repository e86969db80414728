package media

import (
	"slices"

	"stele/internal/manifest"
)

// checkCondition checks what when or unless says.
func (r ruling) checkCondition(at manifest.Path, v any) {
	switch v := v.(type) {
	case nil:
	case string:
		r.checkKnown(at, v, builtin()...)
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if !r.checkKnown(at.Add(name), name, notMode()...) {
				continue
			}
			r.checkEquality(at.Add(name), name, v[name])
		}
	default:
		r.Report(at, "expected a field, or fields with their values: {mode: text_to_video}")
	}
}

// notMode is what is built in and has no value to compare.
func notMode() []string {
	return slices.DeleteFunc(builtin(), func(name string) bool { return name == "mode" })
}

// checkEquality checks that a field can have the value that a condition asks for.
func (r ruling) checkEquality(at manifest.Path, name string, v any) {
	text := Plain(v)
	switch {
	case text == "":
		r.Report(at, "expected one value")
	case name == "mode":
		modes := make([]string, len(r.serve))
		for i, o := range r.serve {
			modes[i] = o.Mode
		}
		r.OneOf(at, text, modes)
	default:
		r.checkAmong(at, text, name)
	}
}

// checkAmong reports a text that is no value of the field, where the values are known.
func (r ruling) checkAmong(at manifest.Path, text, field string) {
	if values := choices(r.serve, field); values != nil {
		r.OneOf(at, text, values)
	}
}

// choices lists the values of a field in all operations that have it; nil where
// they cannot be listed.
func choices(serve []*Operation, field string) []string {
	var all []string
	for _, o := range serve {
		if o.Parameter(field) == nil {
			continue
		}
		values := o.choices(field)
		if values == nil {
			return nil
		}
		all = append(all, values...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkTranslation checks a map: it needs one value to translate, of which the keys
// are values.
func (r ruling) checkTranslation() {
	at := r.at.Add("map")
	if !r.Has(at) {
		return
	}
	text, _ := r.Value.(string)
	if r.Value == nil && r.Spread != "" {
		text = "$item"
	}
	ref, is, err := ParseReference(text)
	if !is || err != nil {
		r.Report(at, "needs a value that is one reference, such as $resolution")
		return
	}
	if len(ref.Filters) > 0 || ref.Part != "" || ref.Name == "item" {
		return // what the map sees is not the field's own value
	}
	for _, key := range sortedKeys(r.Map) {
		r.checkAmong(at.Add(key), key, ref.Name)
	}
}

// checkLookup checks that the table is there and has keys that can occur.
func (r ruling) checkLookup() {
	table, ok := r.model.Call.Tables[r.Table]
	if !ok {
		r.OneOf(r.at.Add("table"), r.Table, sortedKeys(r.model.Call.Tables))
		return
	}
	if len(r.Keys) == 0 {
		r.Report(r.at.Add("keys"), "needs the parameters that choose a row")
		return
	}
	var columns [][]string
	for i, name := range r.Keys {
		if !r.checkKnown(r.at.Add("keys", i), name, notMode()...) {
			return
		}
		// The table may serve other operations' rules as well.
		values := choices(r.model.all(), name)
		if name == "mode" {
			values = r.model.Modes()
		}
		columns = append(columns, values)
	}
	r.checkRows(manifest.At("call", "tables", r.Table), sortedKeys(table), r.Keys, columns)
}

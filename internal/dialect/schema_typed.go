package dialect

import (
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// TypeSchema makes a schema one in which each value has a type, where Moonshot's servers look for it: not beside a choice but in what
// may be chosen, with the properties that all of it shares; beside an enum; alone where there is a reference, and that to $defs
// (vercel/ai#18921, MoonshotAI/kimi-code#792, anomalyco/opencode#25011). It reports whether anything had to be changed.
func TypeSchema(schema []byte) (out []byte, changed bool) {
	root := jsonscan.At(schema, 0)
	if root.Kind() != jsonscan.Object {
		return schema, false
	}
	const room = 64 << 10
	t := typer{pointers: PointersIn(root), left: room + 8*len(schema)}
	if t.write(root, true, 0); !t.changed || t.left < 0 {
		return schema, false
	}
	return t.Bytes(), true
}

type typer struct {
	jsonscan.Writer
	pointers Pointers
	changed  bool
	inside   bool // what a reference refers to
	left     int  // bytes that may stand there again: what is shared does for each that may be chosen
}

// anyType is a choice among all types.
const anyType = `[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{}},{"type":"array","items":{"type":"string"}},{"type":"null"}]`

// shared are what objects that may be chosen have in common where it stands beside the choice.
var shared = []string{"type", "properties", "required", "additionalProperties"}

func (t *typer) write(v jsonscan.Value, root bool, depth int) {
	if v.Kind() != jsonscan.Object || depth > deepestSchema || t.left < 0 {
		t.Raw(v.Raw())
		return
	}
	ref := v.Get("$ref")
	if target := t.elsewhere(ref.View()); target.Exists() {
		t.changed, t.inside = true, true
		t.left -= len(target.Raw())
		t.write(target, root, depth+1)
		t.inside = false
		return
	}
	t.Open(jsonscan.Object)
	defer t.Close(jsonscan.Object)
	if ref.Exists() {
		t.changed = t.changed || v.Len() > 1
		t.Key("$ref").Text(t.toDefs(ref.View()))
		return
	}
	chosen := v.Get("anyOf").Len()+v.Get("oneOf").Len() > 0
	divided := chosen && !root && slices.ContainsFunc(shared, func(name string) bool { return v.Get(name).Exists() })
	t.changed = t.changed || divided
	for key, inner := range v.Members() {
		switch name := key.Name; {
		case divided && slices.Contains(shared, name):
		case name == "anyOf" || name == "oneOf":
			t.Key(name)
			t.writeChoice(inner, v, divided, depth)
		case name == "definitions":
			t.changed = true
			t.writeNamed("$defs", inner, depth)
		case name == "properties" || name == "$defs":
			t.writeNamed(name, inner, depth)
		case name == "allOf" || name == "prefixItems":
			t.Key(name).Open(jsonscan.Array)
			for _, one := range inner.Elements() {
				t.write(one, name == "allOf", depth+1) // the parts of one value need not have a type each
			}
			t.Close(jsonscan.Array)
		case name == "items" || name == "additionalProperties" && inner.Kind() == jsonscan.Object && inner.Len() > 0:
			t.Key(name)
			t.write(inner, false, depth+1)
		default:
			t.Key(name).Raw(inner.Raw())
		}
	}
	if !root && !chosen && !v.Get("type").Exists() && !v.Get("allOf").Exists() {
		t.changed = true
		t.writeType(v)
	}
}

// writeChoice writes what may be chosen, with what stands beside the choice where that is divided among it.
func (t *typer) writeChoice(list, beside jsonscan.Value, divided bool, depth int) {
	t.Open(jsonscan.Array)
	for _, one := range list.Elements() {
		if divided && one.Kind() == jsonscan.Object && !one.Get("$ref").Exists() {
			both := t.withShared(one, beside)
			t.left -= len(both)
			one = jsonscan.At(both, 0)
		}
		t.write(one, false, depth+1)
	}
	t.Close(jsonscan.Array)
}

// elsewhere is what a reference refers to that leads to no definition; within that it is left as it is.
func (t *typer) elsewhere(ref string) jsonscan.Value {
	if t.inside || ref == "" || strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/") {
		return jsonscan.Value{}
	}
	target, found := t.pointers.Find(ref)
	if !found || target.Kind() != jsonscan.Object {
		return jsonscan.Value{}
	}
	return target
}

// toDefs is a reference to where this API looks for it.
func (t *typer) toDefs(ref string) string {
	rest, older := strings.CutPrefix(ref, "#/definitions/")
	if !older {
		return ref
	}
	t.changed = true
	return "#/$defs/" + rest
}

func (t *typer) writeNamed(name string, v jsonscan.Value, depth int) {
	t.Key(name)
	if v.Kind() != jsonscan.Object {
		t.Raw(v.Raw())
		return
	}
	t.Open(jsonscan.Object)
	for key, one := range v.Members() {
		t.Key(key.Name)
		t.write(one, false, depth+1)
	}
	t.Close(jsonscan.Object)
}

// writeType writes the type that a schema without one leaves to be understood.
func (t *typer) writeType(v jsonscan.Value) {
	kind := ""
	switch {
	case v.Get("properties").Exists() || v.Get("required").Exists():
		kind = "object"
	case v.Get("items").Exists() || v.Get("prefixItems").Exists():
		kind = "array"
	case v.Get("const").Exists():
		kind = kindOfValue(v.Get("const"))
	case v.Get("enum").Len() > 0:
		kind = kindOfValue(v.Get("enum").Index(0))
		for _, one := range v.Get("enum").Elements() {
			if kindOfValue(one) != kind {
				return // of several types
			}
		}
	}
	if kind != "" {
		t.Key("type").Plain(kind)
	} else {
		t.Key("anyOf").Raw([]byte(anyType))
	}
}

// kindOfValue is what JSON Schema calls the type of a value.
func kindOfValue(v jsonscan.Value) string {
	switch v.Kind() {
	case jsonscan.String:
		return "string"
	case jsonscan.Number:
		return "number"
	case jsonscan.True, jsonscan.False:
		return "boolean"
	case jsonscan.Null:
		return "null"
	case jsonscan.Array:
		return "array"
	}
	return "object"
}

// withShared is a schema that may be chosen with what stands beside the choice: of both, its own counts.
func (t *typer) withShared(one, beside jsonscan.Value) []byte {
	out := new(jsonscan.Writer).Open(jsonscan.Object)
	for key, inner := range one.Members() {
		if key.Name != "properties" && key.Name != "required" {
			out.Key(key.Name).Raw(inner.Raw())
		}
	}
	for _, name := range []string{"type", "additionalProperties"} {
		if said := beside.Get(name); said.Exists() && !one.Get(name).Exists() {
			out.Key(name).Raw(said.Raw())
		}
	}
	if both := []jsonscan.Value{one.Get("properties"), beside.Get("properties")}; both[0].Exists() || both[1].Exists() {
		out.Key("properties").Open(jsonscan.Object)
		known := make(map[string]bool)
		for _, list := range both {
			for key, inner := range list.Members() {
				if !known[key.Name] {
					known[strings.Clone(key.Name)] = true
					out.Key(key.Name).Raw(inner.Raw())
				}
			}
		}
		out.Close(jsonscan.Object)
	}
	var names []string
	for _, list := range []jsonscan.Value{beside.Get("required"), one.Get("required")} {
		for _, name := range list.Elements() {
			if !slices.Contains(names, name.View()) {
				names = append(names, strings.Clone(name.View()))
			}
		}
	}
	if names != nil {
		out.Key("required").Open(jsonscan.Array)
		for _, name := range names {
			out.Text(name)
		}
		out.Close(jsonscan.Array)
	}
	return out.Close(jsonscan.Object).Bytes()
}

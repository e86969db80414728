package app

import (
	"cmp"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"

	"stele/internal/media"
)

// kind is the type of a value that expressions speak of. Values are brought into
// its form before any expression sees them, so that what was checked when the file
// was read holds when it runs.
type kind struct {
	name   string           // string, integer, number, boolean, array, object or any
	of     *kind            // of an array
	fields map[string]*kind // of an object
}

var (
	aText    = &kind{name: "string"}
	anInt    = &kind{name: "integer"}
	aNumber  = &kind{name: "number"}
	aTruth   = &kind{name: "boolean"}
	anything = &kind{name: "any"}
)

func listOf(k *kind) *kind { return &kind{name: "array", of: k} }

// toType gives the kind as expressions are checked against it.
func (k *kind) toType() types.Type {
	switch k.name {
	case "string":
		return types.String
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		return types.Array(k.of.toType())
	case "object":
		m := types.Map{}
		for name, field := range k.fields {
			m[name] = field.toType()
		}
		return m
	}
	return types.Any
}

// element is the type of an item, as the list's expression gives it.
type element struct{ nature nature.Nature }

func (e element) Nature() nature.Nature   { return e.nature }
func (e element) Equal(t types.Type) bool { return t == types.Any }
func (e element) String() string          { return e.nature.String() }

// conform gives v in the form of the kind. What does not fit becomes the kind's
// empty value.
func (k *kind) conform(v any) any {
	switch k.name {
	case "string":
		text, _ := v.(string)
		return text
	case "integer":
		n, _ := wholeNumber(v)
		return n
	case "number":
		return number(v)
	case "boolean":
		on, _ := v.(bool)
		return on
	case "array":
		list, _ := v.([]any)
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = k.of.conform(item)
		}
		return out
	case "object":
		given, _ := v.(map[string]any)
		out := make(map[string]any, len(k.fields))
		for name, field := range k.fields {
			out[name] = field.conform(given[name])
		}
		return out
	}
	return plainNumbers(v)
}

// plainNumbers makes whole numbers ints, which is what expressions reckon with.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainNumbers(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = plainNumbers(v[name])
		}
		return out
	}
	return v
}

func wholeNumber(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}

func number(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int:
		return float64(n)
	case int64:
		return float64(n)
	}
	return 0
}

// kindOfInput is what an expression sees of an input. One that may be left out
// and has no empty value is nothing then.
func kindOfInput(in *Input) *kind {
	p := &in.Parameter
	if p.Type == "array" {
		return listOf(kindOfType(itemType(p)))
	}
	if p.Type != "string" && !p.Required && p.Default == nil {
		return anything
	}
	return kindOfType(p.Type)
}

func itemType(p *media.Parameter) string { return cmp.Or(p.Items, "string") }

func kindOfType(name string) *kind {
	return cmp.Or(map[string]*kind{"string": aText, "integer": anInt, "number": aNumber, "boolean": aTruth}[name], anything)
}

// kindOfSchema is what an expression sees of an answer that fits a JSON Schema.
// What the schema leaves open is anything.
func kindOfSchema(schema any) *kind {
	s, _ := schema.(map[string]any)
	if s["anyOf"] != nil || s["oneOf"] != nil || s["$ref"] != nil || s["allOf"] != nil {
		return anything
	}
	name, _ := s["type"].(string)
	switch name {
	case "array":
		return listOf(kindOfSchema(s["items"]))
	case "object":
		properties, _ := s["properties"].(map[string]any)
		if len(properties) == 0 {
			return anything
		}
		k := &kind{name: "object", fields: make(map[string]*kind, len(properties))}
		for field, of := range properties {
			k.fields[field] = kindOfSchema(of)
		}
		return k
	}
	return kindOfType(name)
}

// kindOfStep is what an expression sees of a step that has ended.
func kindOfStep(s *Step) *kind {
	k := &kind{name: "object", fields: map[string]*kind{"ok": aTruth}}
	if s.Chat != nil {
		k.fields["text"] = aText
		if s.says != nil {
			k.fields["data"] = s.says
		}
	} else {
		for _, m := range media.Types() {
			k.fields[m], k.fields[m+"s"] = aText, listOf(aText)
		}
		k.fields["duration"], k.fields["width"], k.fields["height"] = aNumber, anInt, anInt
	}
	if s.Each != "" {
		return listOf(k)
	}
	return k
}

package openai

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// complete adds what the API misses in schemas that other APIs take as they are: the
// items of a list, the properties of an object. Neither changes which values are right.
func (e *requestWriter) complete(schema []byte, l chat.Loss) []byte {
	var c completer
	if ordered, changed := dialect.OrderProperties(schema); changed {
		schema = ordered
		c.note(dialect.OrderNote)
	}
	c.completeSchema(jsonscan.At(schema, 0), 0)
	whole, err := c.edits.Apply(schema)
	if err != nil || len(c.notes) == 0 {
		return schema
	}
	l.Verb, l.Note = chat.Ignored, strings.Join(c.notes, "; ") // none of it changes a meaning
	e.losses = append(e.losses, l)
	return whole
}

// refusedAtRoot are words that the author's API refuses at the root of a tool's arguments, beside the choices that no API takes.
var refusedAtRoot = []string{"not", "enum"}

// withoutRefused tells those in words.
func (e *requestWriter) withoutRefused(t chat.Tool) chat.Tool {
	if e.t.Compatible || t.Kind != chat.Function || t.Schema == nil {
		return t
	}
	var edits jsonscan.Edits
	var words []string
	for key, v := range jsonscan.At(t.Schema, 0).Members() {
		if slices.Contains(refusedAtRoot, key.Name) {
			edits.Remove(key, v)
			words = append(words, key.Name+": "+string(v.AppendCompact(nil)))
		}
	}
	schema, err := edits.Apply(t.Schema)
	if err != nil || words == nil {
		return t
	}
	t.Description = strings.TrimSpace(t.Description + "\n\nOf the arguments as a whole: " + strings.Join(words, ", "))
	e.loseTool(t, chat.Approximated, "a bound at the root of its arguments: in words only")
	t.Schema = schema
	return t
}

type completer struct {
	edits jsonscan.Edits
	notes []string
}

func (c *completer) completeSchema(v jsonscan.Value, depth int) {
	if v.Kind() != object || depth > deepest {
		return
	}
	if isType(v, "array") && !v.Get("items").Exists() { // beside prefixItems as well: any may follow
		c.add(v, "items")
	}
	if isType(v, "object") && !v.Get("properties").Exists() && !v.Get("$ref").Exists() {
		c.add(v, "properties")
	}
	for key, inner := range v.Members() {
		switch key.Name {
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			for _, inner := range inner.Members() {
				c.completeSchema(inner, depth+1)
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for _, inner := range inner.Elements() {
				c.completeSchema(inner, depth+1)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains":
			c.completeSchema(inner, depth+1)
		}
	}
}

func (c *completer) add(v jsonscan.Value, name string) {
	c.edits.Append(v, name, []byte("{}"))
	c.note("the API insists on " + name + ": added empty")
}

func (c *completer) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// isType reports whether a schema's type is, or may be, the given one.
func isType(v jsonscan.Value, kind string) bool {
	said := v.Get("type")
	if said.View() == kind {
		return true
	}
	for _, one := range said.Elements() {
		if one.View() == kind {
			return true
		}
	}
	return false
}

// isObject reports whether the answer that a schema describes is an object, as the API
// insists.
func isObject(schema []byte) bool {
	root := jsonscan.At(schema, 0)
	if dialect.IsChoice(root) {
		return false
	}
	if !root.Get("type").Exists() {
		return slices.ContainsFunc(ofObjects, func(name string) bool { return root.Get(name).Exists() })
	}
	return root.Get("type").View() == "object"
}

// ofObjects are words that say something of objects alone.
var ofObjects = []string{"properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"}

const objectType = "type object"

// WithObjectType says that a schema's root is an object where the schema leaves it to be
// understood: the API insists. It reports whether it had to.
func WithObjectType(schema []byte) (typed []byte, added bool) {
	root := jsonscan.At(schema, 0)
	switch {
	case root.Kind() != object || root.Get("type").Exists():
		return schema, false
	case root.Len() == 0:
		return []byte(dialect.NoParameter), true
	}
	return append([]byte(`{"type":"object",`), schema[root.From()+1:]...), true
}

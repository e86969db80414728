package reference

import (
	"cmp"
	"html/template"
	"slices"

	"github.com/goccy/go-yaml"
)

// deepest is how far inline objects are unfolded; named ones are linked to.
const deepest = 4

// schema is a named shape of the document.
type schema struct {
	Name, Anchor string
	Shape        []word
	About        template.HTML
	Facts        []fact
	Fields       []field
	Loose        bool // other fields are allowed too
}

// field is a property, a parameter or a header.
type field struct {
	Name     string
	Anchor   string // of a shared header
	In       string // of a parameter: path, query or header
	Shape    []word
	Required bool
	About    template.HTML
	Facts    []fact
	Sample   string
	Fields   []field
}

// word is a piece of a type in words; with an anchor it is a link.
type word struct{ Text, Anchor string }

// fact is a rule about a value: its default, its range, what it may be.
type fact struct {
	Name   string
	Values []string
}

func (d *document) schemas() []schema {
	var all []schema
	for _, item := range mapping(child(d.root, "components", "schemas")) {
		v, _ := d.follow(item.Value)
		all = append(all, schema{
			Name: key(item), Anchor: anchor("schema", key(item)), Shape: d.shape(v), About: prose(text(v, "description")),
			Facts: facts(v), Fields: d.fields(v, 0),
			Loose: truth(v, "additionalProperties") || mapping(child(v, "additionalProperties")) != nil,
		})
	}
	return all
}

func (d *document) headers() []field {
	var all []field
	for _, item := range mapping(child(d.root, "components", "headers")) {
		f := d.field(key(item), child(item.Value, "schema"), item.Value)
		f.Anchor = anchor("header", key(item))
		all = append(all, f)
	}
	return all
}

// field describes v; what its owner says of it comes before what v says itself.
func (d *document) field(name string, v, owner any) field {
	target, _ := d.follow(v)
	about := cmp.Or(text(owner, "description"), text(v, "description"), text(target, "description"))
	return field{Name: name, Shape: d.shape(v), About: prose(about), Facts: facts(target)}
}

// fields lists the properties of an object, those of allOf included.
func (d *document) fields(v any, depth int) []field {
	if depth > deepest {
		return nil
	}
	v, _ = d.follow(v)
	var all []field
	for _, part := range list(child(v, "allOf")) {
		all = append(all, d.fields(part, depth+1)...)
	}
	required := texts(child(v, "required"))
	for _, p := range mapping(child(v, "properties")) {
		f := d.field(key(p), p.Value, nil)
		f.Required = slices.Contains(required, f.Name)
		f.Fields = d.inline(p.Value, depth+1)
		all = append(all, f)
	}
	return all
}

// inline lists what an unnamed object, or an array of such, has inside.
func (d *document) inline(v any, depth int) []field {
	for text(v, "$ref") == "" && child(v, "items") != nil {
		v = child(v, "items")
	}
	if text(v, "$ref") != "" {
		return nil
	}
	return d.fields(v, depth)
}

// shape puts a type in words: "array of Part or string".
func (d *document) shape(v any) []word {
	if _, name := d.follow(v); name != "" {
		return []word{{name, anchor("schema", name)}}
	}
	for _, kind := range []string{"oneOf", "anyOf", "allOf"} {
		if parts := list(child(v, kind)); len(parts) > 0 {
			var words []word
			for i, part := range parts {
				if i > 0 {
					words = append(words, word{Text: map[bool]string{true: " and ", false: " or "}[kind == "allOf"]})
				}
				words = append(words, d.shape(part)...)
			}
			return words
		}
	}
	var words []word
	for i, kind := range kinds(v) {
		if i > 0 {
			words = append(words, word{Text: " or "})
		}
		words = append(words, word{Text: kind})
		if kind == "array" && child(v, "items") != nil {
			words = append(append(words, word{Text: " of "}), d.shape(child(v, "items"))...)
		}
	}
	return words
}

func kinds(v any) []string {
	if t := texts(child(v, "type")); len(t) > 0 {
		return t
	}
	switch {
	case child(v, "properties") != nil:
		return []string{"object"}
	case child(v, "items") != nil:
		return []string{"array"}
	case child(v, "const") != nil || child(v, "enum") != nil:
		return []string{"string"}
	}
	return []string{"any"}
}

func facts(v any) []fact {
	var all []fact
	for _, rule := range []struct{ key, name string }{
		{"enum", "one of"}, {"const", "always"}, {"default", "default"}, {"minimum", "min"}, {"maximum", "max"},
		{"minLength", "min length"}, {"maxLength", "max length"}, {"minItems", "min items"}, {"maxItems", "max items"},
		{"pattern", "pattern"}, {"format", "format"},
	} {
		i := slices.IndexFunc(mapping(v), func(item yaml.MapItem) bool { return item.Key == rule.key })
		if i < 0 {
			continue
		}
		f := fact{Name: rule.name}
		values := list(mapping(v)[i].Value)
		if values == nil {
			values = []any{mapping(v)[i].Value}
		}
		for _, value := range values {
			if s, ok := value.(string); ok {
				f.Values = append(f.Values, s)
			} else {
				f.Values = append(f.Values, compact(value))
			}
		}
		all = append(all, f)
	}
	return all
}

package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// document is an OpenAPI document as an ordered tree: the order in which its
// author put things is the order in which the reader meets them.
type document struct{ root any }

func parseDocument(text []byte) (*document, error) {
	var d document
	if err := yaml.UnmarshalWithOptions(text, &d.root, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return &d, nil
}

// follow goes where v's $ref points, and on from there. name is the last
// segment of the first reference, "" where v is none.
func (d *document) follow(v any) (target any, name string) {
	for range 16 { // a chain any longer is a circle
		ref := text(v, "$ref")
		if ref == "" {
			return v, name
		}
		segments := slices.Collect(jsontext.Pointer(strings.TrimPrefix(ref, "#")).Tokens())
		name = cmp.Or(name, segments[len(segments)-1])
		v = child(d.root, segments...)
	}
	return nil, name
}

// child walks down mappings by name; nil where the way ends.
func child(v any, names ...string) any {
	for _, name := range names {
		var next any
		for _, item := range mapping(v) {
			if item.Key == name {
				next = item.Value
				break
			}
		}
		v = next
	}
	return v
}

func mapping(v any) yaml.MapSlice {
	m, _ := v.(yaml.MapSlice)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// text is the string at the end of a walk, "" where there is none.
func text(v any, names ...string) string {
	s, _ := child(v, names...).(string)
	return s
}

// texts lists the strings of a sequence, or the one string in its place.
func texts(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	var all []string
	for _, item := range list(v) {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func truth(v any, names ...string) bool {
	b, _ := child(v, names...).(bool)
	return b
}

func key(item yaml.MapItem) string { return fmt.Sprint(item.Key) }

// example is a value of the document as text: JSON, or what it says itself.
type example struct {
	Title string
	Text  string
	value any
}

// examples reads example and examples of a parameter or a body.
func (d *document) examples(v any) []example {
	var all []example
	if one := child(v, "example"); one != nil {
		all = append(all, newExample("", one))
	}
	for _, item := range mapping(child(v, "examples")) {
		e, _ := d.follow(item.Value)
		if value := child(e, "value"); value != nil {
			all = append(all, newExample(text(e, "summary"), value))
		}
	}
	return all
}

func newExample(title string, v any) example {
	s, ok := v.(string)
	if !ok {
		s = pretty(v, "")
	}
	return example{Title: title, Text: strings.TrimRight(s, "\n"), value: v}
}

// With puts the reader's own address in the place of the document's.
func (e example) With(root string) string {
	return strings.ReplaceAll(e.Text, "https://stele.example.com", root)
}

const widest = 52 // characters a value may have to stay on one line

// pretty writes v as JSON in the order of the document. What is short stays on
// one line.
func pretty(v any, indent string) string {
	inner := indent + "  "
	var open, closing string
	var lines []string
	switch v := v.(type) {
	case yaml.MapSlice:
		open, closing = "{", "}"
		for _, item := range v {
			lines = append(lines, inner+quote(key(item))+": "+pretty(item.Value, inner))
		}
	case []any:
		open, closing = "[", "]"
		for _, item := range v {
			lines = append(lines, inner+pretty(item, inner))
		}
	default:
		return compact(v)
	}
	if line := compact(v); indent != "" && len(indent)+len(line) <= widest || len(lines) == 0 {
		return line
	}
	return open + "\n" + strings.Join(lines, ",\n") + "\n" + indent + closing
}

// compact writes v as JSON on one line.
func compact(v any) string {
	var parts []string
	switch v := v.(type) {
	case yaml.MapSlice:
		for _, item := range v {
			parts = append(parts, quote(key(item))+": "+compact(item.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, compact(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quote(v)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

func quote(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s) // what is not UTF-8 is replaced
	return string(quoted)
}

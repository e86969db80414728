package reference

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

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

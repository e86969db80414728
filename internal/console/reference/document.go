package reference

import (
	"fmt"
	"strings"

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
		segments := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		for i, s := range segments {
			segments[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		}
		if name == "" {
			name = segments[len(segments)-1]
		}
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

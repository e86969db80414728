package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// object is a JSON object as it was read: names are exact, numbers keep their digits.
type object = map[string]any

// decode reads one JSON value and nothing after it.
func decode(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("invalid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data")
	}
	return v, nil
}

// at walks into v by names and positions; what is not there is nil.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(object)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step < 0 || step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func objectAt(v any, path ...any) object {
	m, _ := at(v, path...).(object)
	return m
}

func listAt(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

func textAt(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func boolAt(v any, path ...any) bool {
	b, _ := at(v, path...).(bool)
	return b
}

// intAt also reads a number in a string, as protobuf writes them.
func intAt(v any, path ...any) int {
	f, _ := floatOf(at(v, path...))
	return int(f)
}

func floatOf(v any) (float64, bool) {
	var digits string
	switch v := v.(type) {
	case json.Number:
		digits = v.String()
	case string:
		digits = v
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(digits, 64)
	return f, err == nil
}

func has(m object, names ...string) bool {
	for _, name := range names {
		if m[name] != nil {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// quoted is the words in quotes, with commas between.
func quoted(words []string) string {
	return "'" + strings.Join(words, "', '") + "'"
}

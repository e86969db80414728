package upstream

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// doc is a JSON object to be written: name, value, name, value, in that order.
type doc []any

// MarshalJSON keeps the order of the names.
func (d doc) MarshalJSON() ([]byte, error) { return encode(d), nil }

// encode is v as JSON in one line, without escaping what only HTML cares for.
func encode(v any) []byte { return appendJSON(nil, v) }

// appendJSON goes through what nearly everything here is made of by itself: the
// standard library would read all that doc has made once more at every level.
func appendJSON(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, "null"...)
	case string:
		return appendText(out, v)
	case bool:
		return strconv.AppendBool(out, v)
	case int:
		return strconv.AppendInt(out, int64(v), 10)
	case json.Number:
		return append(out, v...)
	case doc:
		return appendDoc(out, v)
	case object:
		return appendObject(out, v)
	case []any:
		return appendList(out, v)
	case []doc:
		return appendList(out, v)
	}
	return append(out, standard(v)...)
}

func appendDoc(out []byte, d doc) []byte {
	out = append(out, '{')
	for i := 0; i+1 < len(d); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendJSON(out, d[i]), ':')
		out = appendJSON(out, d[i+1])
	}
	return append(out, '}')
}

func appendObject(out []byte, m object) []byte {
	if m == nil {
		return append(out, "null"...)
	}
	out = append(out, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, name), ':')
		out = appendJSON(out, m[name])
	}
	return append(out, '}')
}

func appendList[T any](out []byte, list []T) []byte {
	if list == nil {
		return append(out, "null"...)
	}
	out = append(out, '[')
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendJSON(out, v)
	}
	return append(out, ']')
}

func appendText(out []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(out, standard(s)...)
		}
	}
	return append(append(append(out, '"'), s...), '"')
}

// standard is how the standard library writes v.
func standard(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only values made here are encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

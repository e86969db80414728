package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
	"stele/internal/label"
)

// strictSchema makes a schema one that the API enforces, the way its own
// clients do: what it refuses goes into descriptions, which note reports. Not ok
// is a schema that cannot be enforced, and note says why.
func strictSchema(schema json.RawMessage) (out json.RawMessage, note string, ok bool) {
	root := gjson.ParseBytes(schema)
	if recursive(root) {
		return nil, "it refers to itself", false
	}
	var s stricter
	out = s.schema(root, 0)
	switch {
	case s.fail != "":
		return nil, s.fail, false
	case !s.changed:
		return schema, "", true
	}
	return out, strings.Join(s.notes, ", "), true
}

// stricter rewrites one schema.
type stricter struct {
	changed bool
	count   int
	read    int // bytes looked at, each level's anew
	notes   []string
	fail    string
}

// note reports a change. Twenty are enough for whoever reads them.
func (s *stricter) note(text string) {
	s.changed = true
	if len(s.notes) < mostNotes && !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, label.Clean(text, 64))
	}
}

const (
	deepest   = 200      // levels of a schema that are rewritten
	mostOfIt  = 5000     // schemas in a schema that are rewritten
	mostRead  = 16 << 20 // bytes that are looked at for it
	mostNotes = 20
)

// level is one schema of a schema while it is rewritten.
type level struct {
	out         []byte
	kind        string
	described   string
	told        []string // what goes into the description
	free        bool     // it needs no type: a reference, a literal, alternatives
	object      bool     // it has properties
	closed      bool     // it allows no others
	depth       int
	alternative string // the key of the alternatives that were written
}

// schema is a schema rewritten.
func (s *stricter) schema(v gjson.Result, depth int) []byte {
	if s.fits(v, depth) {
		if types := v.Get("type"); types.IsArray() {
			return s.either(v, types, depth)
		}
	}
	return s.as(v, gjson.Result{}, depth)
}

// fits counts a schema and reports whether there is room for it.
func (s *stricter) fits(v gjson.Result, depth int) bool {
	s.read += len(v.Raw)
	if s.count++; !v.IsObject() || depth > deepest || s.count > mostOfIt || s.read > mostRead {
		s.fail = "it has parts without a type, or too many"
	}
	return s.fail == ""
}

// as is a schema rewritten, with another type than its own where one is given: null
// for none at all.
func (s *stricter) as(v, kind gjson.Result, depth int) []byte {
	if s.fail != "" {
		return []byte("{}")
	}
	l := level{out: []byte{'{'}, depth: depth}
	v.ForEach(func(k, v gjson.Result) bool {
		if k.Str == "type" && kind.Raw != "" {
			if v = kind; kind.Type == gjson.Null {
				return true
			}
		}
		s.member(&l, k.Str, v)
		return s.fail == ""
	})
	if l.kind == "" && !l.free {
		if !l.object {
			s.fail = "it has parts without a type"
		}
		l.kind, l.out = "object", append(member(l.out, "type"), `"object"`...)
		s.note("types")
	}
	if l.kind == "object" {
		l.out = append(member(l.out, "additionalProperties"), "false"...)
		if !l.closed {
			s.note("additionalProperties")
		}
	}
	if len(l.told) > 0 {
		l.described = lines(l.described, "{"+strings.Join(l.told, ", ")+"}")
	}
	if l.described != "" {
		l.out = dialect.AppendText(member(l.out, "description"), l.described)
	}
	return append(l.out, '}')
}

// formats are those of a string that the API enforces.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// member rewrites one member of a schema.
func (s *stricter) member(l *level, key string, v gjson.Result) {
	switch key {
	case "$schema", "$id", "$comment":
		s.changed = true
	case "$defs", "definitions":
		s.changed = s.changed || key == "definitions"
		l.out = append(member(l.out, "$defs"), s.each(v, l.depth)...)
	case "$ref":
		l.free = true
		l.out = dialect.AppendText(member(l.out, key), strings.Replace(v.Str, "#/definitions/", "#/$defs/", 1))
	case "type":
		l.kind = v.Str
		s.keep(l, key, v)
	case "title", "required":
		s.keep(l, key, v)
	case "description":
		l.described = v.Str
	case "enum", "const":
		l.free = true
		s.when(l, key, v, literal(v))
	case "anyOf", "oneOf", "allOf":
		s.alternatives(l, key, v)
	case "properties":
		l.object = true
		l.out = append(member(l.out, key), s.each(v, l.depth)...)
	case "additionalProperties":
		l.closed = v.Type == gjson.False
		if !l.closed && v.Type != gjson.True {
			s.tell(l, key, v)
		}
	case "items":
		if v.IsObject() {
			l.out = append(member(l.out, key), s.schema(v, l.depth+1)...)
		} else {
			s.tell(l, key, v)
		}
	case "minItems":
		s.when(l, key, v, v.Raw == "0" || v.Raw == "1")
	case "format":
		s.when(l, key, v, slices.Contains(formats, v.Str))
	default:
		s.tell(l, key, v)
	}
}

// literal reports whether a value, or each of a list of them, is a plain one.
func literal(v gjson.Result) bool {
	plain := !v.IsObject()
	if v.IsArray() {
		v.ForEach(func(_, v gjson.Result) bool {
			plain = v.Type != gjson.JSON
			return plain
		})
	}
	return plain
}

func (s *stricter) keep(l *level, key string, v gjson.Result) {
	l.out = append(member(l.out, key), v.Raw...)
}

// when keeps a member if the API enforces it, and else tells the model of it.
func (s *stricter) when(l *level, key string, v gjson.Result, enforced bool) {
	if enforced {
		s.keep(l, key, v)
		return
	}
	s.tell(l, key, v)
}

// tell puts a member into the description.
func (s *stricter) tell(l *level, key string, v gjson.Result) {
	s.note(key)
	l.told = append(l.told, key+": "+v.Raw)
}

// alternatives rewrites a list of schemas. Exactly one of them is not enforced:
// it becomes any of them.
func (s *stricter) alternatives(l *level, key string, v gjson.Result) {
	if l.alternative != "" || !v.IsArray() {
		s.tell(l, key, v)
		return
	}
	l.free, l.alternative = true, key
	if key == "oneOf" {
		s.note("oneOf as anyOf")
		key = "anyOf"
	}
	l.out = append(member(l.out, key), '[')
	n := 0
	v.ForEach(func(_, v gjson.Result) bool {
		if n++; n > 1 {
			l.out = append(l.out, ',')
		}
		l.out = append(l.out, s.schema(v, l.depth+1)...)
		return s.fail == ""
	})
	l.out = append(l.out, ']')
}

// each rewrites the schemas of an object.
func (s *stricter) each(v gjson.Result, depth int) []byte {
	out := []byte{'{'}
	v.ForEach(func(k, v gjson.Result) bool {
		out = append(member(out, k.String()), s.schema(v, depth+1)...)
		return s.fail == ""
	})
	return append(out, '}')
}

// either rewrites a schema that has several types: one alternative for each.
func (s *stricter) either(v, types gjson.Result, depth int) []byte {
	s.note("types")
	if v.Get("enum").Exists() {
		return s.as(v, gjson.Result{Raw: "null"}, depth+1)
	}
	out := []byte(`{"anyOf":[`)
	seen := make(map[string]bool)
	types.ForEach(func(_, t gjson.Result) bool {
		if seen[t.Str] { // there are seven, however often they are named
			return true
		}
		seen[t.Str] = true
		if len(seen) > 1 {
			out = append(out, ',')
		}
		switch {
		case t.Str == "null":
			out = append(out, `{"type":"null"}`...)
		case s.fits(v, depth+1):
			out = append(out, s.as(v, t, depth+1)...)
		}
		return s.fail == ""
	})
	return append(out, "]}"...)
}

// recursive reports whether a schema refers to something that it is part of.
func recursive(root gjson.Result) bool {
	uses := make(map[string][]string)
	for _, defs := range []string{"$defs", "definitions"} {
		root.Get(defs).ForEach(func(k, v gjson.Result) bool {
			uses[k.String()] = refs(v, nil, 0)
			return true
		})
	}
	state := make(map[string]int) // 1: being looked at, 2: fine
	var cyclic func(name string) bool
	cyclic = func(name string) bool {
		if name == "#" || state[name] == 1 {
			return true
		}
		if state[name] == 2 {
			return false
		}
		state[name] = 1
		if slices.ContainsFunc(uses[name], cyclic) {
			return true
		}
		state[name] = 2
		return false
	}
	return slices.ContainsFunc(refs(root, nil, 0), cyclic)
}

// refs are the names that a schema refers to.
func refs(v gjson.Result, names []string, depth int) []string {
	if !v.IsObject() && !v.IsArray() || depth > deepest {
		return names
	}
	v.ForEach(func(k, v gjson.Result) bool {
		if k.Str == "$ref" && v.Type == gjson.String {
			names = append(names, v.Str[strings.LastIndexByte(v.Str, '/')+1:])
		} else {
			names = refs(v, names, depth+1)
		}
		return true
	})
	return names
}

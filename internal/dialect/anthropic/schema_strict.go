package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/label"
)

// toStrictSchema makes a schema one that the API enforces, the way its own
// clients do: what it refuses goes into descriptions, which note reports. Not ok
// is a schema that cannot be enforced, and note says why.
func toStrictSchema(schema json.RawMessage) (out json.RawMessage, note string, ok bool) {
	root := jsonscan.At(schema, 0)
	if isRecursive(root) {
		return nil, "it refers to itself", false
	}
	var s stricter
	s.writeSchema(root, 0)
	switch {
	case s.fail != "":
		return nil, s.fail, false
	case !s.changed:
		return schema, "", true
	}
	return s.out.Bytes(), strings.Join(s.notes, ", "), true
}

// stricter rewrites one schema.
type stricter struct {
	out     jsonscan.Writer
	changed bool
	count   int
	read    int // bytes looked at, each level's anew
	notes   []string
	fail    string
}

// note reports a change. Twenty are enough to read.
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

	untyped = "it has parts without a type, or too many"

	nameless = "it has objects whose members have no names"
)

// isNameless reports whether an object may have members, and none of them has a name. Whatever is
// enforced is closed: closed, it could only be empty.
func isNameless(v jsonscan.Value) bool {
	open, plain := v.Get("additionalProperties").Bool()
	return v.Get("properties").Len() == 0 && (open || !plain)
}

// level is one schema of a schema while it is rewritten.
type level struct {
	kind        string
	described   string
	told        []string // what goes into the description
	free        bool     // it needs no type: a reference, a literal, alternatives
	object      bool     // it has properties
	closed      bool     // it allows no others
	depth       int
	alternative bool // alternatives were written
}

// writeSchema writes a schema as the API enforces it.
func (s *stricter) writeSchema(v jsonscan.Value, depth int) {
	if s.fits(v, depth) {
		types := v.Get("type")
		nullable, _ := v.Get("nullable").Bool()
		switch {
		case types.Kind() == jsonscan.Array:
			s.writeEither(v, types, depth)
			return
		case nullable && depth > 0:
			s.writeNullable(v, depth)
			return
		}
	}
	s.writeAs(v, jsonscan.Value{}, depth)
}

// fits counts a schema and reports whether there is room for it.
func (s *stricter) fits(v jsonscan.Value, depth int) bool {
	s.read += len(v.Raw())
	if s.count++; v.Kind() != jsonscan.Object || depth > deepest || s.count > mostOfIt || s.read > mostRead {
		s.fail = untyped
	}
	return s.fail == ""
}

// writeAs writes a schema with another type than its own where one is given: null for none
// at all.
func (s *stricter) writeAs(v, kind jsonscan.Value, depth int) {
	if s.fail != "" {
		return
	}
	l := level{depth: depth}
	s.out.Open(jsonscan.Object)
	for key, member := range v.Members() {
		if key.Name == "type" && kind.Exists() {
			member = kind
		}
		switch {
		case key.Name == "required":
			s.writeRequired(member, v.Get("properties"))
		case key.Name != "type" || member.Kind() != jsonscan.Null || !kind.Exists():
			s.writeMember(&l, key.Name, member)
		}
		if s.fail != "" {
			break
		}
	}
	if l.kind == "" && !l.free {
		if !l.object {
			s.fail = "it has parts without a type"
		}
		l.kind = "object"
		s.out.Key("type").Plain("object")
		s.note("types")
	}
	if l.kind == "object" {
		if isNameless(v) && (depth > 0 || v.Get("additionalProperties").Exists()) { // at the root it is a tool without arguments
			s.fail = nameless
		}
		s.out.Key("additionalProperties").Bool(false)
		if !l.closed {
			s.note("additionalProperties")
		}
	}
	writeDescription(&s.out, l.described, l.told)
	s.out.Close(jsonscan.Object)
}

// formats are those of a string that the API enforces.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// writeMember writes one member of a schema.
func (s *stricter) writeMember(l *level, key string, v jsonscan.Value) {
	switch key {
	case "$schema", "$id", "$comment":
		s.changed = true
	case "$defs", "definitions":
		s.changed = s.changed || key == "definitions"
		s.writeEach("$defs", v, l.depth)
	case "nullable": // OpenAPI's: writeNullable has said it
		s.changed = true
	case "$ref":
		l.free = true
		if ref := v.View(); ref != "#" && !strings.HasPrefix(ref, "#/") {
			s.fail = "it refers to what has no path"
		}
		s.out.Key(key).Text(strings.Replace(v.View(), "#/definitions/", "#/$defs/", 1))
	case "type":
		l.kind = v.View()
		s.out.Key(key).Raw(v.Raw())
	case "title":
		s.out.Key(key).Raw(v.Raw())
	case "description":
		l.described = v.View()
	case "enum", "const":
		l.free = true
		s.keepOrTell(l, key, v, isLiteral(v))
	case "anyOf", "oneOf", "allOf":
		s.writeAlternatives(l, key, v)
	case "properties":
		l.object = true
		s.writeEach(key, v, l.depth)
	case "additionalProperties":
		open, plain := v.Bool()
		l.closed = plain && !open
		if !plain {
			s.tell(l, key, v)
		}
	case "items":
		if v.Kind() == jsonscan.Object {
			s.out.Key(key)
			s.writeSchema(v, l.depth+1)
		} else {
			s.tell(l, key, v)
		}
	case "minItems":
		s.keepOrTell(l, key, v, v.Number() == "0" || v.Number() == "1")
	case "format":
		s.keepOrTell(l, key, v, slices.Contains(formats, v.View()))
	default:
		s.tell(l, key, v)
	}
}

// writeRequired writes which properties must be there, less those that none is called: a closed object could never have them.
func (s *stricter) writeRequired(names, properties jsonscan.Value) {
	s.out.Key("required").Open(jsonscan.Array)
	for _, name := range names.Elements() {
		if properties.Get(name.View()).Exists() {
			s.out.Raw(name.Raw())
		} else {
			s.note("required")
		}
	}
	s.out.Close(jsonscan.Array)
}

// isLiteral reports whether a value, or each of a list of them, is a plain one.
func isLiteral(v jsonscan.Value) bool {
	for _, v := range v.Elements() {
		if k := v.Kind(); k == jsonscan.Object || k == jsonscan.Array {
			return false
		}
	}
	return v.Kind() != jsonscan.Object
}

// keepOrTell keeps a member if the API enforces it, and else tells the model of it.
func (s *stricter) keepOrTell(l *level, key string, v jsonscan.Value, enforced bool) {
	if enforced {
		s.out.Key(key).Raw(v.Raw())
		return
	}
	s.tell(l, key, v)
}

// tell puts a member into the description.
func (s *stricter) tell(l *level, key string, v jsonscan.Value) {
	s.note(key)
	l.told = append(l.told, key+": "+string(v.Raw()))
}

// writeAlternatives writes a list of schemas. Exactly one of them is not enforced: it
// becomes any of them.
func (s *stricter) writeAlternatives(l *level, key string, v jsonscan.Value) {
	if l.alternative || v.Kind() != jsonscan.Array {
		s.tell(l, key, v)
		return
	}
	if key == "allOf" { // closed objects that all count allow nothing together
		s.fail = "it has allOf"
		return
	}
	l.free, l.alternative = true, true
	if key == "oneOf" {
		s.note("oneOf as anyOf")
		key = "anyOf"
	}
	s.out.Key(key).Open(jsonscan.Array)
	for _, v := range v.Elements() {
		if s.writeSchema(v, l.depth+1); s.fail != "" {
			return
		}
	}
	s.out.Close(jsonscan.Array)
}

// writeEach writes the schemas of an object.
func (s *stricter) writeEach(name string, v jsonscan.Value, depth int) {
	if v.Kind() != jsonscan.Object && string(v.Raw()) != "[]" { // an empty object, to some languages
		s.fail = untyped
	}
	s.out.Key(name).Open(jsonscan.Object)
	for key, v := range v.Members() {
		s.out.Key(key.Name)
		if s.writeSchema(v, depth+1); s.fail != "" {
			return
		}
	}
	s.out.Close(jsonscan.Object)
}

// writeEither writes a schema that has several types: one alternative for each.
func (s *stricter) writeEither(v, types jsonscan.Value, depth int) {
	s.note("types")
	if v.Get("enum").Exists() {
		s.writeAs(v, jsonscan.At([]byte("null"), 0), depth+1)
		return
	}
	s.out.Open(jsonscan.Object).Key("anyOf").Open(jsonscan.Array)
	seen := make(map[string]bool)
	for _, t := range types.Elements() {
		name := t.View()
		if seen[name] { // there are seven, however often they are named
			continue
		}
		seen[name] = true
		switch {
		case name == "null":
			s.out.Raw([]byte(`{"type":"null"}`))
		case s.fits(v, depth+1):
			s.writeAs(v, t, depth+1)
		}
		if s.fail != "" {
			return
		}
	}
	s.out.Close(jsonscan.Array).Close(jsonscan.Object)
}

// writeNullable writes a schema that OpenAPI calls nullable: what it says, or null.
func (s *stricter) writeNullable(v jsonscan.Value, depth int) {
	s.note("types")
	s.out.Open(jsonscan.Object).Key("anyOf").Open(jsonscan.Array)
	if s.fits(v, depth+1) {
		s.writeAs(v, jsonscan.Value{}, depth+1)
	}
	s.out.Raw([]byte(`{"type":"null"}`)).Close(jsonscan.Array).Close(jsonscan.Object)
}

// isRecursive reports whether a schema refers to something that it is part of.
func isRecursive(root jsonscan.Value) bool {
	uses := make(map[string][]string)
	for _, defs := range []string{"$defs", "definitions"} {
		for key, v := range root.Get(defs).Members() {
			uses[key.Name] = collectRefs(v, nil, 0)
		}
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
	return slices.ContainsFunc(collectRefs(root, nil, 0), cyclic)
}

// collectRefs finds the names that a schema refers to.
func collectRefs(v jsonscan.Value, names []string, depth int) []string {
	if depth > deepest {
		return names
	}
	for key, v := range v.Members() {
		if ref := v.View(); key.Name == "$ref" && v.Kind() == jsonscan.String {
			names = append(names, ref[strings.LastIndexByte(ref, '/')+1:])
		} else {
			names = collectRefs(v, names, depth+1)
		}
	}
	for _, v := range v.Elements() {
		names = collectRefs(v, names, depth+1)
	}
	return names
}

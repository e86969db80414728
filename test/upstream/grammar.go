package upstream

import (
	"fmt"
	"strconv"
	"strings"
)

// grammar is the fields an API knows, read from a table:
//
//	type NAME                  an object
//	  FIELD[!] TYPE [LOW..HIGH]
//	union NAME by FIELD        one of several objects, told apart by a field
//	  TAG TYPE                 the tag * stands for any other, - for none
//
// TYPE is string, number, int, bool, bytes, any, map, enum(a,b), the name of a type
// or union, [TYPE] for a list, {TYPE} for an object with free names, or several
// of these with | between. LOW..HIGH bounds a number, the length of a string or
// the count of a list; with several types it bounds the last.
type grammar struct {
	shapes map[string]*shape
	proto  bool // protobuf's JSON: snake_case names and numbers in strings are read too
}

// shape is what one value may be.
type shape struct {
	kind      string // string, number, int, bool, bytes, any, enum, list, map, type, union, alternatives
	name      string // of a type or union that is declared elsewhere
	words     []string
	item      *shape
	options   []*shape
	fields    map[string]*field
	order     []string
	by        string
	tags      map[string]*shape
	low, high *float64
}

type field struct {
	shape    *shape
	required bool
}

// parseGrammar reads a table. It panics on a mistake: tables are part of the program.
func parseGrammar(table string) *grammar {
	g := &grammar{shapes: make(map[string]*shape)}
	var open *shape
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch {
		case line[0] != ' ' && words[0] == "type":
			open = &shape{kind: "type", fields: make(map[string]*field)}
			g.shapes[words[1]] = open
		case line[0] != ' ' && words[0] == "union":
			open = &shape{kind: "union", by: words[3], tags: make(map[string]*shape)}
			g.shapes[words[1]] = open
		case open.kind == "union":
			open.tags[words[0]] = parseShape(words[1])
			open.order = append(open.order, words[0])
		default:
			open.add(words)
		}
	}
	for name, s := range g.shapes {
		g.link(name, s)
	}
	return g
}

// add reads one line of a type.
func (s *shape) add(words []string) {
	name, required := strings.CutSuffix(words[0], "!")
	f := &field{shape: parseShape(words[1]), required: required}
	if len(words) > 2 {
		bounded := f.shape
		if n := len(bounded.options); n > 0 {
			bounded = bounded.options[n-1]
		}
		bounded.bound(words[2])
	}
	s.fields[name] = f
	s.order = append(s.order, name)
}

func (s *shape) bound(text string) {
	low, high, _ := strings.Cut(text, "..")
	for _, side := range []struct {
		text string
		to   **float64
	}{{low, &s.low}, {high, &s.high}} {
		if side.text == "" {
			continue
		}
		f, err := strconv.ParseFloat(side.text, 64)
		if err != nil {
			panic(err)
		}
		*side.to = &f
	}
}

func parseShape(text string) *shape {
	if options := splitOutside(text); len(options) > 1 {
		s := &shape{kind: "alternatives"}
		for _, option := range options {
			s.options = append(s.options, parseShape(option))
		}
		return s
	}
	inner := text[1 : len(text)-1]
	switch {
	case text[0] == '[':
		return &shape{kind: "list", item: parseShape(inner)}
	case text[0] == '{':
		return &shape{kind: "map", item: parseShape(inner)}
	case strings.HasPrefix(text, "enum("):
		return &shape{kind: "enum", words: strings.Split(strings.TrimPrefix(inner, "num("), ",")}
	}
	switch text {
	case "string", "number", "int", "bool", "bytes", "any":
		return &shape{kind: text}
	case "map":
		return &shape{kind: "map", item: &shape{kind: "any"}}
	}
	return &shape{kind: "named", name: text}
}

// splitOutside cuts at every | that is not inside brackets.
func splitOutside(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case '|':
			if depth == 0 {
				parts, from = append(parts, text[from:i]), i+1
			}
		}
	}
	return append(parts, text[from:])
}

// link checks that every name is declared.
func (g *grammar) link(in string, s *shape) {
	if s == nil {
		return
	}
	if s.kind == "named" && g.shapes[s.name] == nil {
		panic(fmt.Sprintf("grammar: %s speaks of %s, which is not declared", in, s.name))
	}
	g.link(in, s.item)
	for _, option := range s.options {
		g.link(in, option)
	}
	for _, f := range s.fields {
		g.link(in, f.shape)
	}
	for _, tagged := range s.tags {
		g.link(in, tagged)
	}
}

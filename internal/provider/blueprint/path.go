package blueprint

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/media"
)

// path leads to values inside decoded JSON: a.b, list[0], every[*] (of a list or
// an object), and, to write only, list[] for one more element. A step may be
// {id}, which a ticket fills in.
type path []step

type step struct {
	key   string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	field stepKind = iota // of an object
	at                    // an element
	every                 // all elements
	next                  // one more element
)

// most elements that writing a list[n] may make, so that a slip of the pen in a
// file takes no memory.
const mostElements = 64

func parsePath(text string) (path, error) {
	var p path
	bad := func() (path, error) {
		return nil, fmt.Errorf("%q is no path; write a.b, list[0], every[*] or list[]", text)
	}
	for rest := text; rest != ""; {
		if inner, ok := strings.CutPrefix(rest, "["); ok {
			index, after, closed := strings.Cut(inner, "]")
			s, ok := parseBracket(index)
			if !closed || !ok {
				return bad()
			}
			p, rest = append(p, s), after
			if dot, ok := strings.CutPrefix(rest, "."); ok {
				if rest = dot; rest == "" || rest[0] == '[' {
					return bad()
				}
			} else if rest != "" && rest[0] != '[' {
				return bad()
			}
			continue
		}
		end := strings.IndexAny(rest, ".[]")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return bad()
		}
		p = append(p, step{key: rest[:end]})
		rest = rest[end:]
		if dot, ok := strings.CutPrefix(rest, "."); ok {
			if rest = dot; rest == "" {
				return bad()
			}
		}
	}
	if len(p) == 0 {
		return bad()
	}
	return p, nil
}

func parseBracket(inside string) (step, bool) {
	switch inside {
	case "":
		return step{kind: next}, true
	case "*":
		return step{kind: every}, true
	}
	n, err := strconv.Atoi(inside)
	return step{kind: at, index: n}, err == nil && n >= 0 && n < mostElements
}

// isGiven reports whether there is a path at all.
func (p path) isGiven() bool { return len(p) > 0 }

// reads reports whether the path can be read by: whether it appends nothing.
func (p path) reads() bool {
	return !slices.ContainsFunc(p, func(s step) bool { return s.kind == next })
}

// writes reports whether the path names one place to write to.
func (p path) writes() bool {
	return len(p) > 0 && p[0].kind == field && !slices.ContainsFunc(p, func(s step) bool { return s.kind == every })
}

// with fills in the ticket's id.
func (p path) with(id string) path {
	if !slices.ContainsFunc(p, func(s step) bool { return s.key == "{id}" }) {
		return p
	}
	filled := slices.Clone(p)
	for i := range filled {
		if filled[i].key == "{id}" {
			filled[i].key = id
		}
	}
	return filled
}

// all are the values that the path leads to. A null is no value.
func (p path) all(doc any) []any {
	if doc == nil {
		return nil
	}
	if len(p) == 0 {
		return []any{doc}
	}
	switch s, rest := p[0], p[1:]; s.kind {
	case field:
		if object, ok := doc.(map[string]any); ok {
			return rest.all(object[s.key])
		}
	case at:
		if list, ok := doc.([]any); ok && s.index < len(list) {
			return rest.all(list[s.index])
		}
	case every:
		var found []any
		for _, element := range elements(doc) {
			found = append(found, rest.all(element)...)
		}
		return found
	case next:
	}
	return nil
}

// one is the first value that the path leads to.
func (p path) one(doc any) (any, bool) {
	if found := p.all(doc); len(found) > 0 {
		return found[0], true
	}
	return nil, false
}

// text is the first value as text, "" where there is none.
func (p path) text(doc any) string {
	v, _ := p.one(doc)
	return media.Plain(v)
}

// elements are those of a list, or of an object by its keys, numbers as numbers.
func elements(doc any) []any {
	switch doc := doc.(type) {
	case []any:
		return doc
	case map[string]any:
		keys := slices.SortedFunc(maps.Keys(doc), func(a, b string) int {
			x, err := strconv.Atoi(a)
			y, also := strconv.Atoi(b)
			if err == nil && also == nil {
				return cmp.Compare(x, y)
			}
			return cmp.Compare(a, b)
		})
		list := make([]any, len(keys))
		for i, key := range keys {
			list[i] = doc[key]
		}
		return list
	}
	return nil
}

// put writes a value below node and returns what node is then.
func (p path) put(node, value any) (any, error) {
	if len(p) == 0 {
		return value, nil
	}
	s, rest := p[0], p[1:]
	if s.kind == field {
		object, ok := node.(map[string]any)
		if node == nil {
			object, ok = make(map[string]any), true
		}
		if !ok {
			return nil, fmt.Errorf("%q is written into something that is no object", s.key)
		}
		below, err := rest.put(object[s.key], value)
		object[s.key] = below
		return object, err
	}
	list, ok := node.([]any)
	if node != nil && !ok || s.kind == every {
		return nil, fmt.Errorf("an element is written into something that is no list")
	}
	if s.kind == next {
		s.index = len(list)
	}
	for len(list) <= s.index {
		list = append(list, nil)
	}
	below, err := rest.put(list[s.index], value)
	list[s.index] = below
	return list, err
}

// numberOf is a number, or a text that is one. NaN and the infinite are none: nothing that is kept can say them.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return 0, false
		}
		return n, true
	}
	return 0, false
}

// within is a number of an answer that is kept, 0 where it is absurd.
func within(r route, item any, most float64) float64 {
	if !r.isGiven() {
		return 0
	}
	v, _ := r.one(item)
	if n, ok := numberOf(v); ok && n >= 0 && n <= most {
		return n
	}
	return 0
}

// equal reports whether a value of an answer is what a file says.
func equal(got, want any) bool {
	if got == nil || want == nil {
		return got == want
	}
	_, text := got.(string)
	_, also := want.(string)
	return text == also && media.Plain(got) != "" && media.Plain(got) == media.Plain(want)
}

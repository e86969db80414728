package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

const (
	mostTries = 128     // instances that are made before giving up on a schema
	mostNodes = 4000    // schemas visited for one instance
	mostWork  = 12_000  // schemas visited for all of them
	mostItems = 1000    // of an array
	mostRunes = 1 << 14 // of a string
	mostBytes = 1 << 18 // of all strings of an instance
)

// fit makes a small JSON value that fits a schema: what is required and little
// more. Several are tried until one validates; if none does the first is given,
// as a model would. Where object is true it is an object whatever the schema says
// or leaves out, as a call's arguments must be.
func fit(schema json.RawMessage, object bool) json.RawMessage {
	doc, ok := parseSchema(schema)
	if s, plain := doc.(map[string]any); object && plain && s["$ref"] == nil && s["type"] == nil {
		s["type"] = "object"
	}
	if !ok || object && isBool(doc) {
		return json.RawMessage("{}")
	}
	check := newChecker(schema, doc)
	var first json.RawMessage
	seen := newPatterns()
	work := mostWork
	for try := 0; try < mostTries && work > 0; try++ {
		m := maker{root: doc, patterns: seen, try: try, branch: try / 4, left: mostNodes, room: mostBytes}
		v, ok := m.makeValue(doc, "", 0)
		work -= mostNodes - m.left
		if _, isObject := v.(map[string]any); !ok || object && !isObject {
			continue
		}
		made := encode(v)
		if check.fits(v, len(made)) {
			return made
		}
		if first == nil {
			first = made
		}
	}
	if first == nil {
		return json.RawMessage("{}")
	}
	return first
}

// fit is an instance of a schema, made once.
func (p *plan) fit(schema json.RawMessage, object bool) string {
	key := fmt.Sprint(object) + string(schema)
	made, known := p.fitted[key]
	if !known {
		made = fit(schema, object)
		p.fitted[key] = made
	}
	return string(made)
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

// encode writes a value as compact JSON, names in order.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // not with the values that are made here
		return json.RawMessage("{}")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// maker makes one instance. Its try decides between the choices a schema leaves.
type maker struct {
	root     any
	patterns *patterns
	try      int
	branch   int      // digits that choose branches, the next one lowest
	left     int      // schemas that may still be visited
	room     int      // bytes of strings that may still be made
	refs     []string // being followed
}

// full reports whether optional properties are given too.
func (m *maker) full() bool { return m.try%2 == 1 }

// choose picks one of n ways, another one at a later try.
func (m *maker) choose(n int) int {
	if n < 2 {
		return 0
	}
	digit := m.branch % n
	m.branch /= n
	return digit
}

// makeValue makes a value for a schema. The name is of the property it is for, and nth
// tells apart those that must differ. False: there is none, or it is too much.
func (m *maker) makeValue(schema any, name string, nth int) (any, bool) {
	if m.left--; m.left < 0 {
		return nil, false
	}
	defer func(n int) { m.refs = m.refs[:n] }(len(m.refs))
	s, ok := m.flatten(schema)
	if !ok {
		return nil, false
	}
	if v, given := s["const"]; given {
		return v, true
	}
	if list, given := s["enum"].([]any); given {
		if len(list) == 0 {
			return nil, false
		}
		return list[(nth+m.try/8)%len(list)], true
	}
	if v, given := sample(s); given && nth == 0 && m.try%4 < 2 {
		return v, true
	}
	types := typesOf(s)
	switch types[m.choose(len(types))] {
	case "object":
		return m.makeObject(s)
	case "array":
		return m.makeArray(s)
	case "integer":
		return makeNumber(s, true, nth+m.try/8)
	case "number":
		return makeNumber(s, false, nth+m.try/8)
	case "boolean":
		return (nth+m.try/8)%2 == 0, true
	case "null":
		return nil, true
	}
	v, ok := m.makeText(s, name, nth+m.try/8)
	m.room -= len(v)
	return v, ok && m.room >= 0
}

// sample is an example or the default of a schema.
func sample(s map[string]any) (v any, ok bool) {
	if list, given := s["examples"].([]any); given && len(list) > 0 {
		return list[0], true
	}
	v, ok = s["default"]
	return v, ok && v != nil
}

func (m *maker) makeObject(s map[string]any) (any, bool) {
	properties, _ := s["properties"].(map[string]any)
	o := make(map[string]any)
	add := func(name string) bool {
		if _, there := o[name]; there {
			return true
		}
		v, ok := m.makeValue(m.propertySchema(s, name), name, 0)
		if ok {
			o[name] = v
		}
		return ok
	}
	for _, name := range requiredNames(s) {
		if !add(name) {
			return nil, false
		}
	}
	least := count(s, "minProperties", 0)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if m.full() && len(m.refs) < 2 || len(o) < least {
			add(name) // an optional one that cannot be made is left out
		}
	}
	for i := 1; len(o) < least && i <= least+len(o) && i < mostItems; i++ {
		name := "extra" + strconv.Itoa(i)
		if rule, given := s["propertyNames"]; given {
			v, _ := m.makeValue(rule, "extra", i-1)
			name, _ = v.(string)
		}
		if !add(name) {
			return nil, false
		}
	}
	return o, true
}

func (m *maker) makeArray(s map[string]any) (any, bool) {
	least, most := count(s, "minItems", 0), count(s, "maxItems", mostItems)
	if least > mostItems {
		return nil, false
	}
	list := []any{}
	prefix, _ := s["prefixItems"].([]any)
	for _, rule := range prefix[:min(len(prefix), most)] {
		v, ok := m.makeValue(rule, "item", len(list))
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	if rule, given := s["contains"]; given {
		for range min(max(count(s, "minContains", 1), 0), mostItems) {
			v, ok := m.makeValue(rule, "item", len(list))
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
	}
	rule, given := s["items"]
	if !given {
		rule = true
	}
	// One item tells more than none, but a list that holds its like may go on for ever.
	wanted := max(least, min(most, 1))
	for len(list) < wanted {
		v, ok := m.makeValue(rule, "item", len(list))
		if !ok {
			return list, len(list) >= least
		}
		list = append(list, v)
	}
	return list, true
}

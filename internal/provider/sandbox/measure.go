package sandbox

import (
	"encoding/json"
	"regexp/syntax"
)

// cost is what it takes to check a value against a schema.
type cost struct {
	visits   float64 // schemas looked at, references followed: a few hundred bytes can stand for billions
	depth    int
	patterns int
	steps    int  // of all patterns together, for each byte
	sane     bool // every number is reckonable
}

// measure estimates a cost without paying it.
func measure(doc any) cost {
	m := meter{maker: maker{root: doc}, refs: make(map[string]float64), cost: cost{sane: true}}
	m.cost.visits = m.walk(doc, 1)
	return m.cost
}

type meter struct {
	maker maker
	refs  map[string]float64 // visits of what each refers to
	cost  cost
}

// walk measures a document and returns its visits.
func (m *meter) walk(v any, depth int) float64 {
	n := 1.0
	if m.cost.depth = max(m.cost.depth, depth); depth > mostDepth {
		return n
	}
	switch v := v.(type) {
	case json.Number:
		m.cost.sane = m.cost.sane && reckonable(v)
	case []any:
		for _, inner := range v {
			n += m.walk(inner, depth+1)
		}
	case map[string]any:
		for word, inner := range v {
			visits := m.walk(inner, depth+1)
			if word != "$defs" && word != "definitions" { // looked at where they are referred to
				n += visits
			}
		}
		m.weigh(v)
		n += m.refer(v, depth)
	}
	return n
}

// weigh counts the patterns of a schema.
func (m *meter) weigh(s map[string]any) {
	var texts []string
	if text, given := s["pattern"].(string); given {
		texts = append(texts, text)
	}
	named, _ := s["patternProperties"].(map[string]any)
	for text := range named {
		texts = append(texts, text)
	}
	for _, text := range texts {
		if m.cost.patterns++; m.cost.patterns <= mostPatterns {
			m.cost.steps += steps(text)
		}
	}
}

// steps is the size of a pattern's program, which runs over every byte.
func steps(pattern string) int {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

func (m *meter) refer(s map[string]any, depth int) float64 {
	ref, isRef := s["$ref"].(string)
	if !isRef {
		return 0
	}
	if _, seen := m.refs[ref]; !seen {
		m.refs[ref] = 1 // a loop goes only as deep as the value does
		if target, found := m.maker.resolve(ref); found {
			m.refs[ref] = m.walk(target, depth+1)
		}
	}
	return m.refs[ref]
}

package sandbox

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nowhere refuses to load schemas from anywhere.
type nowhere struct{}

var errNowhere = errors.New("schemas are not loaded from elsewhere")

func (nowhere) Load(string) (any, error) { return nil, errNowhere }

// mostVisits bounds the schemas that checking one value may have to look at.
const mostVisits = 20_000

// validator checks instances: against the schema as the client wrote it, or else
// in modern words, or else against nothing, because it is no good schema.
func validator(raw json.RawMessage, doc any) func(any) bool {
	if sane(doc) && visits(doc) <= mostVisits {
		var written any
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if d.Decode(&written) == nil && sane(written) {
			if s := compile(written); s != nil {
				return func(v any) bool { return s.Validate(v) == nil }
			}
		}
		if s := compile(doc); s != nil {
			return func(v any) bool { return s.Validate(v) == nil }
		}
	}
	return func(any) bool { return true }
}

func compile(doc any) *jsonschema.Schema {
	const place = "https://sandbox.invalid/schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.AssertFormat()
	if c.AddResource(place, doc) != nil {
		return nil
	}
	s, err := c.Compile(place)
	if err != nil {
		return nil
	}
	return s
}

// sane reports whether every number in a document is reckonable.
func sane(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return reckonable(v)
	case []any:
		for _, inner := range v {
			if !sane(inner) {
				return false
			}
		}
	case map[string]any:
		for _, inner := range v {
			if !sane(inner) {
				return false
			}
		}
	}
	return true
}

// visits estimates how many schemas are looked at to check a value, references
// followed: a few hundred bytes can stand for billions.
func visits(doc any) float64 {
	m := maker{root: doc}
	known := make(map[string]float64)
	var walk func(v any) float64
	walk = func(v any) float64 {
		n := 1.0
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				n += walk(inner)
			}
		case map[string]any:
			for word, inner := range v {
				if word != "$defs" && word != "definitions" {
					n += walk(inner)
				}
			}
			ref, isRef := v["$ref"].(string)
			if !isRef {
				break
			}
			if _, seen := known[ref]; !seen {
				known[ref] = 1 // a loop goes only as deep as the value does
				if target, found := m.resolve(ref); found {
					known[ref] = walk(target)
				}
			}
			n += known[ref]
		}
		return n
	}
	return walk(doc)
}

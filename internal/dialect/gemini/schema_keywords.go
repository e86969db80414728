package gemini

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// formats are those the API checks; others are told in the description.
var formats = []string{"date-time", "date", "time", "duration", "int32", "int64", "float", "double", "enum"}

// carried are the fields that are written, some of them under another name.
var carried = []string{
	"type", "title", "description", "properties", "required", "items", "prefixItems", "additionalProperties", "minItems",
	"maxItems", "minimum", "maximum", "anyOf", "propertyOrdering", "$defs", "$id", "$anchor",
}

// silent are the fields that say nothing to a model.
var silent = []string{"$schema", "$comment", "$vocabulary", "deprecated", "readOnly", "writeOnly", "id"}

// fold tells in words what the API does not know of a schema.
func (r *rewriter) fold(fields schemaFields) string {
	var told []string
	tell := func(f schemaField) {
		r.note(true, f.name+" is told in the description")
		told = append(told, f.name+": "+compact(f.value))
	}
	for _, f := range fields {
		switch {
		case f.name == "required":
			if fields.get("properties") == nil && string(f.value) != "[]" {
				tell(f)
			}
		case slices.Contains(carried, f.name):
		case f.name == "nullable":
			if truthOf(f.value) && fields.get("type") == nil {
				tell(f)
			}
		case f.name == "oneOf":
			if fields.get("anyOf") != nil {
				tell(f)
			}
		case slices.Contains(silent, f.name) || strings.HasPrefix(f.name, "x-"):
			r.note(false, f.name+" is left out")
		case f.name == "format":
			if !slices.Contains(formats, rawText(f.value)) {
				tell(f)
			}
		case f.name == "enum" || f.name == "const":
			if values, ok := enumerable(f); !ok {
				tell(f)
			} else if f.name == "const" || len(values) < len(f.value) {
				r.note(f.name != "const", f.name+" is a list of strings and numbers")
			}
		case f.name == "exclusiveMinimum" || f.name == "exclusiveMaximum":
			if _, exact := edge(fields, f.name); exact {
				r.note(false, f.name+" is "+lowered(f.name))
			} else {
				tell(f)
			}
		default:
			tell(f)
		}
	}
	if len(told) == 0 {
		return ""
	}
	return " (" + strings.Join(told, "; ") + ")"
}

// enumerable is the values of an enum, or a const's only one, as the API takes
// them: strings and numbers. Null is left to the type.
func enumerable(f schemaField) ([]byte, bool) {
	var w writer
	w.open('[')
	take := func(value []byte) bool {
		switch b := value[0]; {
		case b == '"' || b == '-' || b >= '0' && b <= '9':
			w.raw(value)
		case b != 'n':
			return false
		}
		return true
	}
	c := cursor{b: f.value}
	if f.name == "const" {
		if c.peek() == 0 || !take(c.raw()) {
			return nil, false
		}
	} else {
		for c.enter('['); c.item(); {
			if value := c.raw(); len(value) == 0 || !take(value) {
				return nil, false
			}
		}
	}
	if len(w.b) == 1 {
		return nil, false
	}
	w.close(']')
	return w.b, true
}

// lowered is the field that stands for an exclusive bound.
func lowered(name string) string {
	if name == "exclusiveMinimum" {
		return "minimum"
	}
	return "maximum"
}

// bound writes minimum or maximum: its own value, or that of the exclusive one,
// whichever is narrower. It is written once, where the first of both stands.
func (r *rewriter) bound(fields schemaFields, f schemaField) {
	name := f.name
	if strings.HasPrefix(name, "exclusive") {
		name = lowered(name)
		if fields.get(name) != nil {
			return // written there
		}
	}
	exclusive := "exclusiveMinimum"
	if name == "maximum" {
		exclusive = "exclusiveMaximum"
	}
	value := fields.get(name)
	if fields.get(exclusive) != nil {
		edge, _ := edge(fields, exclusive)
		own, err := strconv.ParseFloat(string(value), 64)
		limit, err2 := strconv.ParseFloat(edge, 64)
		narrower := name == "minimum" && limit > own || name == "maximum" && limit < own
		if err2 == nil && (err != nil || narrower) {
			value = []byte(edge)
		}
	}
	if _, err := strconv.ParseFloat(string(value), 64); err != nil {
		return
	}
	r.w.key(name)
	r.w.raw(value)
}

// edge is the inclusive bound of an exclusive one, and whether it is exact: it is
// for whole numbers, which have a next one.
func edge(fields schemaFields, name string) (string, bool) {
	value := string(fields.get(name))
	if value == "true" { // as drafts before 6 have it
		value = string(fields.get(lowered(name)))
	}
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return "", value == "false"
	}
	kinds := fields.kinds()
	if !slices.Contains(kinds, "integer") || slices.Contains(kinds, "number") || math.Abs(f) > 1<<52 {
		return value, false
	}
	n := int64(math.Floor(f)) + 1
	if name == "exclusiveMaximum" {
		n = int64(math.Ceil(f)) - 1
	}
	return strconv.FormatInt(n, 10), true
}

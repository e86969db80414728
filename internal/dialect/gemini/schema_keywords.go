package gemini

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
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

// dropIdle leaves out the fields that say nothing about values of a schema's types, which the API refuses where
// JSON Schema passes them over: properties of a string (anomalyco/opencode#11888).
func (w *schemaWriter) dropIdle(fields schemaFields, kinds []string) schemaFields {
	idle := func(f schemaField) bool {
		about := subjects(f.name)
		return about != nil && !slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(about, kind) })
	}
	if len(kinds) == 0 || !slices.ContainsFunc(fields, idle) {
		return fields
	}
	w.note(false, "what says nothing about a type is left out")
	return slices.DeleteFunc(slices.Clone(fields), idle)
}

var objects, lists, numbers = []string{"object"}, []string{"array"}, []string{"integer", "number"}

// subjects are the types that a field says something about, where they are not all.
func subjects(name string) []string {
	switch name {
	case "properties", "required", "additionalProperties", "propertyOrdering":
		return objects
	case "items", "prefixItems", "minItems", "maxItems":
		return lists
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return numbers
	}
	return nil
}

// foldKeywords tells in words what the API does not know of a schema.
func (w *schemaWriter) foldKeywords(fields schemaFields) string {
	var told []string
	tell := func(f schemaField) {
		w.note(true, f.name+" is told in the description")
		told = append(told, f.name+": "+string(f.value.AppendCompact(nil)))
	}
	for _, f := range fields {
		switch {
		case f.name == "required":
			if !fields.get("properties").Exists() && string(f.value.Raw()) != "[]" {
				tell(f)
			}
		case slices.Contains(carried, f.name):
		case f.name == "nullable":
			if f.value.Kind() == jsonscan.True && !fields.get("type").Exists() {
				tell(f)
			}
		case f.name == "oneOf":
			if fields.get("anyOf").Exists() {
				tell(f)
			}
		case slices.Contains(silent, f.name) || strings.HasPrefix(f.name, "x-"):
			w.note(false, f.name+" is left out")
		case f.name == "format":
			if !slices.Contains(formats, f.value.View()) {
				tell(f)
			}
		case f.name == "enum" || f.name == "const":
			if values, ok := enumOf(f); !ok || hasEmptyText(f) {
				tell(f)
			} else if f.name == "const" || !dialect.SameJSON(values, f.value.Raw()) {
				w.note(f.name != "const", f.name+" is a list of strings and numbers")
			}
		case f.name == "exclusiveMinimum" || f.name == "exclusiveMaximum":
			if _, exact := inclusiveBound(fields, f.name); exact {
				w.note(false, f.name+" is "+inclusiveName(f.name))
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

// enumOf is the values of an enum, or a const's only one, as the API takes
// them: strings and numbers. Null is left to the type.
func enumOf(f schemaField) ([]byte, bool) {
	var list jsonscan.Writer
	list.Open(jsonscan.Array)
	some := false
	take := func(v jsonscan.Value) bool {
		switch v.Kind() {
		case jsonscan.String, jsonscan.Number:
			if isEmptyText(v) { // the API refuses it
				return true
			}
			list.Raw(v.Raw())
			some = true
		case jsonscan.Null:
		default:
			return false
		}
		return true
	}
	if f.name == "const" && f.value.Kind() == jsonscan.Array {
		return nil, false
	}
	for _, v := range items(f.value) {
		if !take(v) {
			return nil, false
		}
	}
	return list.Close(jsonscan.Array).Bytes(), some
}

func hasEmptyText(f schemaField) bool {
	for _, v := range items(f.value) {
		if isEmptyText(v) {
			return true
		}
	}
	return false
}

func isEmptyText(v jsonscan.Value) bool { return v.Kind() == jsonscan.String && v.View() == "" }

// inclusiveName is the field that stands for an exclusive bound.
func inclusiveName(name string) string {
	if name == "exclusiveMinimum" {
		return "minimum"
	}
	return "maximum"
}

// writeBound writes minimum or maximum: its own value, or that of the exclusive one,
// whichever is narrower. It is written once, where the first of both stands.
func (w *schemaWriter) writeBound(fields schemaFields, f schemaField) {
	name := f.name
	if strings.HasPrefix(name, "exclusive") {
		name = inclusiveName(name)
		if fields.get(name).Exists() {
			return // written there
		}
	}
	exclusive := "exclusiveMinimum"
	if name == "maximum" {
		exclusive = "exclusiveMaximum"
	}
	value := fields.get(name).Raw()
	if fields.get(exclusive).Exists() {
		edge, _ := inclusiveBound(fields, exclusive)
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
	w.Key(name).Raw(value)
}

// inclusiveBound is the inclusive bound of an exclusive one, and whether it is exact: it is
// for whole numbers, which have a next one.
func inclusiveBound(fields schemaFields, name string) (string, bool) {
	value := string(fields.get(name).Raw())
	if value == "true" { // as drafts before 6 have it
		value = string(fields.get(inclusiveName(name)).Raw())
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

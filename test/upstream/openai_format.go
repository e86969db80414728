package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// openaiFormat checks structured output.
func openaiFormat(c *chat) *failure {
	format := objectAt(c.body, "response_format")
	switch textAt(format, "type") {
	case "json_object":
		if !strings.Contains(strings.ToLower(string(encode(c.body["messages"]))), "json") {
			return bad("messages", "", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
	case "json_schema":
		name := textAt(format, "json_schema", "name")
		if f := openaiNamed("response_format.json_schema.name", name); f != nil {
			return f
		}
		schema := objectAt(format, "json_schema", "schema")
		if !boolAt(format, "json_schema", "strict") {
			return nil
		}
		wrong := "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."
		if schema != nil {
			wrong = strictSchema(schema, schema, nil)
		}
		if wrong != "" {
			return bad("response_format", "invalid_json_schema", "Invalid schema for response_format '%s': %s", name, wrong)
		}
	}
	return nil
}

// notStrict are the keywords that strict schemas may not have.
var notStrict = []string{
	"oneOf", "allOf", "not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired",
	"unevaluatedProperties", "propertyNames", "contains",
}

// strictSchema says what a strict schema breaks; "" is nothing.
func strictSchema(root, schema object, path []string) string {
	context := "In context=(" + quotedPath(path) + "), "
	if len(path) == 0 {
		switch {
		case schema["anyOf"] != nil:
			return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
		case schema["type"] != "object" && schema["$ref"] == nil:
			return fmt.Sprintf("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'.", schema["type"])
		}
	}
	for _, word := range notStrict {
		if schema[word] != nil {
			return context + "'" + word + "' is not permitted."
		}
	}
	if ref := textAt(schema, "$ref"); ref != "" && (fitter{root: root}).resolve(ref) == nil {
		return context + "reference to component '" + ref + "' which was not found in the schema."
	}
	properties := objectAt(schema, "properties")
	if kind(schema) == "object" && (schema["type"] != nil || properties != nil) {
		if wrong := strictObject(schema, properties); wrong != "" {
			return context + wrong
		}
	}
	return strictInside(root, schema, path)
}

func strictObject(schema, properties object) string {
	if schema["additionalProperties"] != false {
		return "'additionalProperties' is required to be supplied and to be false."
	}
	required := listAt(schema, "required")
	for _, name := range sortedKeys(properties) {
		if !slices.Contains(required, any(name)) {
			return "'required' is required to be supplied and to be an array including every key in properties. Missing '" + name + "'."
		}
	}
	for _, name := range required {
		if name, _ := name.(string); properties[name] == nil {
			return "'required' is required to be supplied and to be an array including every key in properties. Extra required key '" + name + "' supplied."
		}
	}
	return ""
}

// strictInside looks at all schemas within one.
func strictInside(root, schema object, path []string) string {
	for _, holder := range []string{"properties", "$defs", "definitions"} {
		for _, name := range sortedKeys(objectAt(schema, holder)) {
			if wrong := strictSchema(root, objectAt(schema, holder, name), append(slices.Clip(path), holder, name)); wrong != "" {
				return wrong
			}
		}
	}
	if items := objectAt(schema, "items"); items != nil {
		return strictSchema(root, items, append(slices.Clip(path), "items"))
	}
	for i, option := range listAt(schema, "anyOf") {
		if wrong := strictSchema(root, objectAt(option), append(slices.Clip(path), "anyOf", fmt.Sprint(i))); wrong != "" {
			return wrong
		}
	}
	return ""
}

func quotedPath(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return quoted(path)
}

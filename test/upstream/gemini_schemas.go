package upstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// geminiSchemas checks the schemas of functions and answers, in both spellings.
func geminiSchemas(_ *Server, c *chat) *failure {
	for i, t := range listAt(c.body, "tools") {
		for j, d := range listAt(t, "functionDeclarations") {
			where := fmt.Sprintf("tools[%d].function_declarations[%d].", i, j)
			if parameters := objectAt(d, "parameters"); parameters != nil {
				if !third(c.model) && kind(parameters) == "object" && len(objectAt(parameters, "properties")) == 0 {
					return invalid(where+"parameters.properties", "should be non-empty for OBJECT type")
				}
				if f := openAPI(where+"parameters", parameters); f != nil {
					return f
				}
			}
			for _, name := range []string{"parametersJsonSchema", "responseJsonSchema"} {
				if f := jsonSchema(where+snake(name), objectAt(d, name), objectAt(d, name)); f != nil {
					return f
				}
			}
		}
	}
	config := objectAt(c.body, "generationConfig")
	if schema := objectAt(config, "responseSchema"); schema != nil {
		if f := openAPI("generation_config.response_schema", schema); f != nil {
			return f
		}
	}
	schema := objectAt(config, "responseJsonSchema")
	return jsonSchema("generation_config.response_json_schema", schema, schema)
}

// openAPI checks the older spelling, whose fields the grammar knows.
func openAPI(where string, schema object) *failure {
	kind := strings.ToUpper(textAt(schema, "type"))
	format := textAt(schema, "format")
	switch {
	case kind == "" && schema["anyOf"] == nil:
		return invalid(where+".type", "must be specified")
	case kind == "ARRAY" && schema["items"] == nil:
		return invalid(where+".items", "missing field.")
	case schema["enum"] != nil && kind != "STRING" && kind != "":
		return invalid(where+".enum", "only allowed for STRING type")
	case kind == "STRING" && format != "" && format != "enum" && format != "date-time":
		return invalid(where+".format", "only 'enum' and 'date-time' are supported for STRING type")
	}
	for i, word := range wordsOf(schema["enum"]) {
		if word == "" {
			return invalid(fmt.Sprintf("%s.enum[%d]", where, i), "cannot be empty")
		}
	}
	properties := objectAt(schema, "properties")
	for i, name := range wordsOf(schema["required"]) {
		if properties[name] == nil {
			return invalid(fmt.Sprintf("%s.required[%d]", where, i), "property is not defined")
		}
	}
	for _, name := range sortedKeys(properties) {
		if f := openAPI(fmt.Sprintf("%s.properties[%s]", where, name), objectAt(properties, name)); f != nil {
			return f
		}
	}
	if items := objectAt(schema, "items"); items != nil {
		return openAPI(where+".items", items)
	}
	for i, option := range listAt(schema, "anyOf") {
		if f := openAPI(fmt.Sprintf("%s.any_of[%d]", where, i), objectAt(option)); f != nil {
			return f
		}
	}
	return nil
}

// jsonWords are the keywords of JSON Schema that the API says it reads. $schema is
// among what its own SDK sends.
var jsonWords = []string{
	"$schema", "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems",
	"minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering",
}

// jsonSchema checks the newer spelling.
func jsonSchema(where string, root, schema object) *failure {
	if schema == nil {
		return nil
	}
	for _, word := range sortedKeys(schema) {
		switch {
		case !oneOf(word, jsonWords):
			return invalid(where, "unsupported JSON Schema keyword '%s'", word)
		case schema["$ref"] != nil && word[0] != '$' && word != "description" && word != "default":
			return invalid(where, "a schema with '$ref' may not have '%s' beside it", word)
		}
	}
	if ref := textAt(schema, "$ref"); ref != "" {
		switch {
		case (fitter{root: root}).resolve(ref) == nil:
			return invalid(where+".$ref", "reference '%s' cannot be resolved", ref)
		case needsItself(root, schema, nil):
			return invalid(where+".$ref", "cyclic references are only allowed in properties that are not required")
		}
	}
	for _, word := range listAt(schema, "enum") {
		switch word.(type) {
		case string, json.Number:
		default:
			return invalid(where+".enum", "only strings and numbers are supported")
		}
	}
	for _, holder := range []string{"properties", "$defs"} {
		for _, name := range sortedKeys(objectAt(schema, holder)) {
			if f := jsonSchema(fmt.Sprintf("%s.%s[%s]", where, holder, name), root, objectAt(schema, holder, name)); f != nil {
				return f
			}
		}
	}
	inner := []any{schema["items"], schema["additionalProperties"]}
	for _, s := range slices.Concat(inner, listAt(schema, "anyOf"), listAt(schema, "oneOf"), listAt(schema, "prefixItems")) {
		if f := jsonSchema(where, root, objectAt(s)); f != nil {
			return f
		}
	}
	return nil
}

// needsItself tells whether a schema comes back to itself by required properties alone.
func needsItself(root, schema object, seen []string) bool {
	if ref := textAt(schema, "$ref"); ref != "" {
		target, _ := (fitter{root: root}).resolve(ref).(object)
		return slices.Contains(seen, ref) || needsItself(root, target, append(slices.Clip(seen), ref))
	}
	return slices.ContainsFunc(wordsOf(schema["required"]), func(name string) bool {
		return needsItself(root, objectAt(schema, "properties", name), seen)
	})
}

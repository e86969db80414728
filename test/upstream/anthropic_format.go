package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// claudeFormat checks the schemas that the model is held to: dialects.md 1.8.
func claudeFormat(_ *Server, c *chat) *failure {
	if schema := objectAt(c.body, "output_config", "format", "schema"); schema != nil {
		if wrong := claudeSchema(schema, schema, nil); wrong != "" {
			return refused("output_config.format.schema: %s", wrong)
		}
	}
	for i, t := range listAt(c.body, "tools") {
		if schema := objectAt(t, "input_schema"); schema != nil && boolAt(t, "strict") {
			if wrong := claudeSchema(schema, schema, nil); wrong != "" {
				return refused("tools.%d.custom: %s", i, wrong)
			}
		}
	}
	return nil
}

// notClaude are the keywords that constrained schemas may not have.
var notClaude = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"maxItems", "uniqueItems", "minProperties", "maxProperties", "oneOf", "not", "if", "then", "else", "patternProperties", "dependentSchemas",
	"propertyNames", "contains",
}

var claudeFormats = []string{
	"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
}

// claudeSchema says what a constrained schema breaks; "" is nothing. The references
// on the way to it are in seen.
func claudeSchema(root, schema object, seen []string) string {
	kinds := listAt(schema, "type")
	kind := kind(schema)
	var extra []string
	for _, word := range notClaude {
		if schema[word] != nil {
			extra = append(extra, word)
		}
	}
	switch {
	case len(extra) > 0:
		return fmt.Sprintf("For '%s' type, properties %s are not supported", kind, strings.Join(extra, ", "))
	case len(kinds) > 0:
		return "'type' must be a single type: use 'anyOf' for several"
	case intAt(schema, "minItems") > 1:
		return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
	case textAt(schema, "format") != "" && !oneOf(textAt(schema, "format"), claudeFormats):
		return "For 'string' type, format '" + textAt(schema, "format") + "' is not supported"
	case textAt(schema, "type") == "object" && schema["additionalProperties"] != false:
		return "For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	if ref := textAt(schema, "$ref"); ref != "" {
		target, _ := (fitter{root: root}).resolve(ref).(object)
		switch {
		case target == nil:
			return "reference '" + ref + "' cannot be resolved"
		case slices.Contains(seen, ref):
			return "recursive schemas are not supported: " + ref
		}
		return claudeSchema(root, target, append(slices.Clip(seen), ref))
	}
	return claudeInside(root, schema, seen)
}

// claudeInside looks at all schemas within one.
func claudeInside(root, schema object, seen []string) string {
	var inner []any
	for _, name := range sortedKeys(objectAt(schema, "properties")) {
		inner = append(inner, at(schema, "properties", name))
	}
	inner = append(inner, listAt(schema, "anyOf")...)
	inner = append(inner, listAt(schema, "allOf")...)
	inner = append(inner, schema["items"])
	for _, s := range inner {
		if s, ok := s.(object); ok {
			if wrong := claudeSchema(root, s, seen); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

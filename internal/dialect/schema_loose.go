package dialect

import (
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// bounds are the keywords of a schema that a server may fail to make a grammar of (llama.cpp).
var bounds = []string{
	"pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minProperties", "maxProperties", "patternProperties", "propertyNames",
}

// LoosenSchema makes a schema one without bounds: they are told in descriptions. It reports whether there were any.
func LoosenSchema(schema []byte) (out []byte, changed bool) {
	root := jsonscan.At(schema, 0)
	if root.Kind() != jsonscan.Object {
		return schema, false
	}
	var l loosener
	if l.writeSchema(root, 0); !l.changed {
		return schema, false
	}
	return l.Bytes(), true
}

type loosener struct {
	jsonscan.Writer
	changed bool
}

func (l *loosener) writeSchema(v jsonscan.Value, depth int) {
	const deepest = 200
	if v.Kind() != jsonscan.Object || depth > deepest {
		l.Raw(v.Raw())
		return
	}
	l.Open(jsonscan.Object)
	var told []string
	description := ""
	for key, v := range v.Members() {
		switch name := key.Name; {
		case slices.Contains(bounds, name):
			told, l.changed = append(told, name+": "+string(v.AppendCompact(nil))), true
		case name == "description" && v.Kind() == jsonscan.String:
			description = v.View()
		case name == "properties" || name == "$defs" || name == "definitions":
			l.writeNamed(name, v, depth)
		case v.Kind() == jsonscan.Array && (name == "anyOf" || name == "oneOf" || name == "allOf" || name == "prefixItems"):
			l.Key(name).Open(jsonscan.Array)
			for _, v := range v.Elements() {
				l.writeSchema(v, depth+1)
			}
			l.Close(jsonscan.Array)
		case name == "items" || name == "additionalProperties":
			l.Key(name)
			l.writeSchema(v, depth+1)
		default:
			l.Key(name).Raw(v.Raw())
		}
	}
	if len(told) > 0 {
		description = strings.TrimSpace(description + " (" + strings.Join(told, "; ") + ")")
	}
	if description != "" {
		l.Key("description").Text(description)
	}
	l.Close(jsonscan.Object)
}

// writeNamed writes schemas by names, which may be those of keywords.
func (l *loosener) writeNamed(name string, v jsonscan.Value, depth int) {
	l.Key(name)
	if v.Kind() != jsonscan.Object {
		l.Raw(v.Raw())
		return
	}
	l.Open(jsonscan.Object)
	for key, v := range v.Members() {
		l.Key(key.Name)
		l.writeSchema(v, depth+1)
	}
	l.Close(jsonscan.Object)
}

package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// toObjectSchema makes a tool's schema one that the API takes unchecked: an object at the root, whose
// properties have names that it knows. The rest is only read by the model.
func toObjectSchema(schema json.RawMessage) (out json.RawMessage, note string) {
	root := jsonscan.At(schema, 0)
	var odd []string
	for key := range root.Get("properties").Members() {
		if !isLegalProperty(key.Name) {
			odd = append(odd, key.Name)
		}
	}
	switch {
	case len(odd) > 0:
		return withoutProperties(root, odd), "properties of odd names are told in the description"
	case root.Get("type").View() == "object":
		return schema, ""
	}
	w := new(jsonscan.Writer).Open(jsonscan.Object)
	for key, v := range root.Members() {
		if key.Name != "type" {
			w.Key(key.Name).Raw(v.Raw())
		}
	}
	return w.Key("type").Plain("object").Close(jsonscan.Object).Bytes(), "an object at the root"
}

// isLegalProperty reports whether the API takes the name of a tool's argument: of one that it does
// not take it refuses the whole request (anthropics/claude-code #79418).
func isLegalProperty(name string) bool {
	const longest = 64
	return len(name) > 0 && len(name) <= longest && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
	})
}

// withoutProperties is an object's schema without the properties of these names. The model is told of
// them in the description and calls by their true names: an object that is not closed may have them.
func withoutProperties(root jsonscan.Value, odd []string) json.RawMessage {
	var properties, required, told, must jsonscan.Writer
	properties.Open(jsonscan.Object)
	told.Open(jsonscan.Object)
	for key, v := range root.Get("properties").Members() {
		if slices.Contains(odd, key.Name) {
			told.Key(key.Name).Raw(v.Raw())
		} else {
			properties.Key(key.Name).Raw(v.Raw())
		}
	}
	required.Open(jsonscan.Array)
	must.Open(jsonscan.Array)
	for _, v := range root.Get("required").Elements() {
		if slices.Contains(odd, v.View()) {
			must.Raw(v.Raw())
		} else {
			required.Raw(v.Raw())
		}
	}
	more := []string{"further properties: " + string(told.Close(jsonscan.Object).Bytes())}
	if list := string(must.Close(jsonscan.Array).Bytes()); list != "[]" {
		more = append(more, "required of them: "+list)
	}
	out := new(jsonscan.Writer).Open(jsonscan.Object).Key("type").Plain("object")
	for key, v := range root.Members() {
		switch key.Name {
		case "properties":
			out.Key(key.Name).Raw(properties.Close(jsonscan.Object).Bytes())
		case "required":
			out.Key(key.Name).Raw(required.Close(jsonscan.Array).Bytes())
		case "type", "additionalProperties", "description":
		default:
			out.Key(key.Name).Raw(v.Raw())
		}
	}
	writeDescription(out, root.Get("description").View(), more)
	return out.Close(jsonscan.Object).Bytes()
}

// writeDescription writes a schema's description, and in it what the API has no key for.
func writeDescription(w *jsonscan.Writer, text string, told []string) {
	if len(told) > 0 {
		text = joinLines(text, "{"+strings.Join(told, ", ")+"}")
	}
	if text != "" {
		w.Key("description").Text(text)
	}
}

// enumText is the values of an enum, a line each.
func enumText(schema json.RawMessage) string {
	var values []string
	for _, v := range jsonscan.At(schema, 0).Get("enum").Elements() {
		values = append(values, anyText(v))
	}
	return strings.Join(values, "\n")
}

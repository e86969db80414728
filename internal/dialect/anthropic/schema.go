package anthropic

import (
	"encoding/json"
	"strings"

	"stele/internal/jsonscan"
)

// objectSchema makes a tool's schema one that the API takes unchecked: an object
// at the root, and no alternatives there. The rest is only read by the model.
func objectSchema(schema json.RawMessage) (out json.RawMessage, note string) {
	w := new(jsonscan.Writer).Open(jsonscan.Object)
	var told []string
	kind, text := "", ""
	for key, v := range jsonscan.At(schema, 0).Members() {
		switch key.Name {
		case "type":
			if kind = v.View(); kind == "object" {
				w.Key("type").Raw(v.Raw())
			}
		case "anyOf", "oneOf", "allOf":
			told = append(told, key.Name+": "+string(v.Raw()))
		case "description":
			text = v.View()
		default:
			w.Key(key.Name).Raw(v.Raw())
		}
	}
	switch {
	case kind == "object" && told == nil:
		return schema, ""
	case kind != "object":
		w.Key("type").Plain("object")
	}
	writeDescription(w, text, told)
	out = w.Close(jsonscan.Object).Bytes()
	if told == nil && kind == "" {
		return out, "an object at the root"
	}
	return out, "alternatives at the root in words"
}

// writeDescription writes a schema's description, and in it what the API has no key for.
func writeDescription(w *jsonscan.Writer, text string, told []string) {
	if len(told) > 0 {
		text = lines(text, "{"+strings.Join(told, ", ")+"}")
	}
	if text != "" {
		w.Key("description").Text(text)
	}
}

// enumText is the values of an enum, a line each.
func enumText(schema json.RawMessage) string {
	var values []string
	for _, v := range jsonscan.At(schema, 0).Get("enum").Elements() {
		values = append(values, words(v))
	}
	return strings.Join(values, "\n")
}

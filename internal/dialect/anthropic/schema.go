package anthropic

import (
	"encoding/json"
	"strings"

	"stele/internal/jsonscan"
)

// objectSchema makes a tool's schema one that the API takes unchecked: an object at the root.
// The rest is only read by the model.
func objectSchema(schema json.RawMessage) (out json.RawMessage, note string) {
	root := jsonscan.At(schema, 0)
	if root.Get("type").View() == "object" {
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

package anthropic

import (
	"encoding/json"
	"strings"

	"stele/internal/jsonscan"
)

// objectSchema makes a tool's schema one that the API takes unchecked: an object
// at the root, and no alternatives there. The rest is only read by the model.
func objectSchema(schema json.RawMessage) (out json.RawMessage, note string) {
	root := jsonscan.At(schema, 0)
	kind := root.Get("type").View()
	var told []string
	for key, v := range root.Members() {
		if isAlternative(key.Name) {
			told = append(told, key.Name+": "+string(v.Raw()))
		}
	}
	if kind == "object" && told == nil {
		return schema, ""
	}
	note, text := "an object at the root", ""
	if kind != "" || told != nil {
		note, text = "alternatives at the root in words", root.Get("description").View()
	}
	w := new(jsonscan.Writer).Open(jsonscan.Object)
	for key, v := range root.Members() {
		switch {
		case isAlternative(key.Name), key.Name == "type" && kind != "object", key.Name == "description" && text != "":
		default:
			w.Key(key.Name).Raw(v.Raw())
		}
	}
	if kind != "object" {
		w.Key("type").Plain("object")
	}
	writeDescription(w, text, told)
	return w.Close(jsonscan.Object).Bytes(), note
}

func isAlternative(key string) bool { return key == "anyOf" || key == "oneOf" || key == "allOf" }

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

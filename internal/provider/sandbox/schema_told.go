package sandbox

import (
	"encoding/json"
	"strings"
)

// mostTold is how many openings of objects are looked at in a text.
const mostTold = 20

// toldSchema is the first JSON Schema of an object that stands in one of the texts. Clients that
// ask for any JSON tell its shape in words: the AI SDK where a provider takes no schema, Stagehand,
// Instructor. nil where there is none.
func toldSchema(texts ...string) json.RawMessage {
	for _, text := range texts {
		for range mostTold {
			at := strings.IndexByte(text, '{')
			if at < 0 {
				break
			}
			text = text[at:]
			var raw json.RawMessage
			if json.NewDecoder(strings.NewReader(text)).Decode(&raw) != nil {
				text = text[1:]
				continue
			}
			text = text[len(raw):]
			if isObjectSchema(raw) {
				return raw
			}
		}
	}
	return nil
}

func isObjectSchema(raw json.RawMessage) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Ref        string                     `json:"$ref"`
	}
	return json.Unmarshal(raw, &s) == nil && (s.Properties != nil || s.Ref != "")
}

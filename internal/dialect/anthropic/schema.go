package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// objectSchema makes a tool's schema one that the API takes unchecked: an object
// at the root, and no alternatives there. The rest is only read by the model.
func objectSchema(schema json.RawMessage) (out json.RawMessage, note string) {
	root := gjson.ParseBytes(schema)
	out = json.RawMessage{'{'}
	var told []string
	kind := ""
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "type":
			kind = v.Str
			if kind == "object" {
				out = append(member(out, "type"), v.Raw...)
			}
		case "anyOf", "oneOf", "allOf":
			told = append(told, k.Str+": "+v.Raw)
		default:
			out = append(member(out, k.Str), v.Raw...)
		}
		return true
	})
	if kind == "object" && told == nil {
		return schema, ""
	}
	if kind != "object" {
		out = append(member(out, "type"), `"object"`...)
	}
	out = append(out, '}')
	if told == nil && kind == "" {
		return out, "an object at the root"
	}
	return describeSchema(out, told), "alternatives at the root in words"
}

// describeSchema puts into a schema's description what the API has no key for.
func describeSchema(schema json.RawMessage, told []string) json.RawMessage {
	text := ""
	out := json.RawMessage{'{'}
	gjson.ParseBytes(schema).ForEach(func(k, v gjson.Result) bool {
		if k.Str == "description" {
			text = v.Str
			return true
		}
		out = append(member(out, k.Str), v.Raw...)
		return true
	})
	if len(told) > 0 {
		text = lines(text, "{"+strings.Join(told, ", ")+"}")
	}
	if text != "" {
		out = dialect.AppendText(member(out, "description"), text)
	}
	return append(out, '}')
}

// enumText is the values of an enum, a line each.
func enumText(schema json.RawMessage) string {
	var values []string
	gjson.GetBytes(schema, "enum").ForEach(func(_, v gjson.Result) bool {
		values = append(values, v.String())
		return true
	})
	return strings.Join(values, "\n")
}

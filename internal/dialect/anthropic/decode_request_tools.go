package anthropic

import (
	"encoding/json"
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// tools reads the definitions. One with a type of its own runs at the upstream,
// or is one that only Claude knows how to call.
func (r *reading) tools(v gjson.Result) {
	r.each(v, "tools", func(i int, v gjson.Result) {
		r.base = "tools[" + strconv.Itoa(i) + "]"
		t := chat.Tool{At: i}
		kind := ""
		rest := []byte{'{'}
		var others []other
		r.members(v, "", func(key string, v gjson.Result) {
			switch key {
			case "type":
				kind = r.text(v, key)
			case "name":
				t.Name = r.text(v, key)
			case "description":
				t.Description = r.text(v, key)
			case "input_schema":
				t.Schema = json.RawMessage(v.Raw)
				if !v.IsObject() {
					r.wrong(key, "an object")
				}
			case "strict":
				strict := r.flag(v, key)
				t.Strict = &strict
			case "cache_control":
				t.Cache = r.cache(v)
			default:
				rest = append(member(rest, key), v.Raw...)
				others = append(others, other{key, v})
			}
		})
		if kind != "" && kind != "custom" {
			if t.Name == "" {
				t.Name = kind
			}
			raw, _ := sjson.Delete(v.Raw, "cache_control")
			t = chat.Tool{Kind: chat.Server, Name: t.Name, Cache: t.Cache, Raw: json.RawMessage(raw), At: i}
		} else if rest = append(rest, '}'); len(rest) > 2 {
			t.Raw = rest
			for _, o := range others { // others do not know what they mean and say so
				r.extra(r.where(o.key), o.v, chat.Shapes)
			}
		}
		if t.Name == "" {
			r.bad("name", "a tool needs one.")
		}
		r.base = ""
		r.talk.Tools = append(r.talk.Tools, t)
	})
}

// choice reads how tools are to be chosen, from an object or, loosely, a word.
func (r *reading) choice(v gjson.Result) {
	kind := v.Str
	c := chat.Choice{}
	if v.Type != gjson.String {
		r.members(v, "tool_choice", func(key string, v gjson.Result) {
			switch key {
			case "type":
				kind = r.text(v, "tool_choice.type")
			case "name":
				c.Name = r.text(v, "tool_choice.name")
			case "disable_parallel_tool_use":
				c.Serial = r.flag(v, "tool_choice.disable_parallel_tool_use")
			default:
				r.note(chat.Lost(chat.FieldChoice, chat.Dropped, key))
			}
		})
	}
	switch kind {
	case "auto":
		c.Mode = chat.Auto
	case "any":
		c.Mode = chat.Required
	case "tool":
		c.Mode = chat.Named
	case "none":
		c.Mode = chat.None
	default:
		r.bad("tool_choice.type", "%q is none of auto, any, tool, none.", kind)
	}
	r.talk.Choice = c
}

// member begins a member of an object that is being written.
func member(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = dialect.AppendText(dst, key)
	return append(dst, ':')
}

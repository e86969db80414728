package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// readTools reads the definitions.
func (r *requestReader) readTools(v jsonscan.Value) {
	for i, v := range r.elements(v, "tools") {
		r.base = at("tools", i)
		t := r.readTool(v)
		if t.At = i; t.Name == "" {
			r.refuseValue("name", "a tool needs one.")
		}
		r.base = ""
		members := openSet(t, v)
		if len(members) > 0 {
			t.Offer = chat.AtHome
		}
		r.talk.Tools = append(append(r.talk.Tools, t), members...)
	}
}

// readTool reads one definition. One with a type of its own is one that the author defined
// and the client runs, or it runs at the upstream.
func (r *requestReader) readTool(v jsonscan.Value) (t chat.Tool) {
	kind := v.Get("type").View()
	if kind == "function" && v.Get("function").Kind() == jsonscan.Object {
		r.refuseValue("type", "this is a tool as OpenAI's API has it: here it has a name and an input_schema.")
	}
	server := kind != "" && kind != "custom"
	var rest jsonscan.Writer
	for key, v := range r.members(v, "") {
		switch key {
		case "type":
			r.readText(v, key)
		case "name":
			t.Name = r.readText(v, key)
		case "description":
			t.Description = r.readText(v, key)
		case "input_schema":
			switch {
			case v.Kind() == jsonscan.Object:
				t.Schema = v.Raw()
			case !dialect.IsEmptyList(v):
				r.refuseType(key, "an object")
			}
		case "strict":
			strict := r.readBool(v, key)
			t.Strict = &strict
		case "cache_control":
			t.Cache = r.readCache(v)
		default:
			switch {
			case server:
			case key == dialect.Examples && v.Kind() == jsonscan.Array:
				keepRest(&rest, key, v)
			default:
				r.keepBeside(&rest, key, v)
			}
		}
	}
	if own, ok := clientTool(kind, t.Name, v); ok {
		own.Cache = t.Cache
		return own
	}
	if server {
		return chat.Tool{Kind: chat.Server, Name: cmp.Or(t.Name, kind), Cache: t.Cache, Raw: without(v, "cache_control")}
	}
	t.Raw = closeRest(&rest)
	return t
}

// modes are the ways to choose tools.
var modes = map[string]chat.ChoiceMode{"auto": chat.Auto, "any": chat.Required, "tool": chat.Named, "none": chat.None}

// readChoice reads how tools are to be chosen, from an object or, loosely, a word.
func (r *requestReader) readChoice(v jsonscan.Value) {
	kind := v.View()
	c := chat.Choice{}
	if v.Kind() != jsonscan.String {
		for key, v := range r.members(v, "tool_choice") {
			switch key {
			case "type":
				kind = r.readText(v, "tool_choice.type")
			case "name":
				c.Name = r.readText(v, "tool_choice.name")
			case "disable_parallel_tool_use":
				c.Serial = r.readBool(v, "tool_choice.disable_parallel_tool_use")
			default:
				r.note(chat.Lost(chat.FieldChoice, chat.Dropped, key))
			}
		}
	}
	switch c.Mode = modes[kind]; {
	case c.Mode == chat.Unset:
		r.refuseValue("tool_choice.type", "%q is none of auto, any, tool, none.", kind)
	case c.Mode == chat.Named && c.Name == "":
		r.refuseValue("tool_choice.name", "it says which tool.")
	}
	r.talk.Choice = c
}

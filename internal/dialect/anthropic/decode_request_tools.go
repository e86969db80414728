package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// tools reads the definitions.
func (r *requestReader) tools(v jsonscan.Value) {
	for i, v := range r.elements(v, "tools") {
		r.base = at("tools", i)
		t := r.tool(v)
		if t.At = i; t.Name == "" {
			r.bad("name", "a tool needs one.")
		}
		r.base = ""
		r.talk.Tools = append(r.talk.Tools, t)
	}
}

// tool reads one definition. One with a type of its own is one that the author defined
// and the client runs, or it runs at the upstream.
func (r *requestReader) tool(v jsonscan.Value) (t chat.Tool) {
	kind := v.Get("type").View()
	if kind == "function" && v.Get("function").Kind() == jsonscan.Object {
		r.bad("type", "this is a tool as OpenAI's API has it: here it has a name and an input_schema.")
	}
	server := kind != "" && kind != "custom"
	var rest jsonscan.Writer
	for key, v := range r.members(v, "") {
		switch key {
		case "type":
			r.text(v, key)
		case "name":
			t.Name = r.text(v, key)
		case "description":
			t.Description = r.text(v, key)
		case "input_schema":
			t.Schema = v.Raw()
			if v.Kind() != jsonscan.Object {
				r.wrong(key, "an object")
			}
		case "strict":
			strict := r.flag(v, key)
			t.Strict = &strict
		case "cache_control":
			t.Cache = r.cache(v)
		default:
			if !server {
				r.beside(&rest, key, v)
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
	t.Raw = closed(&rest)
	return t
}

// modes are the ways to choose tools.
var modes = map[string]chat.ChoiceMode{"auto": chat.Auto, "any": chat.Required, "tool": chat.Named, "none": chat.None}

// choice reads how tools are to be chosen, from an object or, loosely, a word.
func (r *requestReader) choice(v jsonscan.Value) {
	kind := v.View()
	c := chat.Choice{}
	if v.Kind() != jsonscan.String {
		for key, v := range r.members(v, "tool_choice") {
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
		}
	}
	if c.Mode = modes[kind]; c.Mode == chat.Unset {
		r.bad("tool_choice.type", "%q is none of auto, any, tool, none.", kind)
	}
	r.talk.Choice = c
}

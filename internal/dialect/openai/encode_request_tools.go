package openai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// gatherTools leaves out doubles and gives every tool its name upstream, before
// the history speaks of them.
func (e *composer) gatherTools() error {
	e.known = make(map[string]int, len(e.c.Tools))
	for _, t := range e.c.Tools {
		if t.Kind == chat.Server && !e.serves(t) {
			return e.refuse(chat.LostTool(t, chat.Dropped, ""), fmt.Sprintf("the model's provider does not have the tool %q", t.Name))
		}
		i, twice := e.known[t.Name]
		switch {
		case t.Kind == chat.Server:
			e.tools = append(e.tools, t)
		case !twice:
			e.known[t.Name] = len(e.tools)
			e.tools = append(e.tools, t)
		case !sameTool(e.tools[i], t):
			return e.refuse(chat.LostTool(t, chat.Dropped, ""), fmt.Sprintf("there are two different tools named %q", t.Name))
		default:
			e.losses = append(e.losses, chat.LostTool(t, chat.Ignored, "the same tool twice"))
		}
	}
	for _, wanted := range append(slices.Clone(e.c.Choice.Names), e.c.Choice.Name) {
		if _, ok := e.known[wanted]; wanted != "" && !ok {
			return e.refuse(chat.Lost(chat.FieldChoice, chat.Dropped, ""), fmt.Sprintf("there is no tool named %q", wanted))
		}
	}
	if e.c.Choice.Mode == chat.Allowed && e.t.Compatible {
		allowed := make(map[string]bool, len(e.c.Choice.Names))
		for _, name := range e.c.Choice.Names {
			allowed[name] = true
		}
		e.tools = slices.DeleteFunc(e.tools, func(t chat.Tool) bool { return !allowed[t.Name] })
		e.lose(chat.FieldChoice, chat.Approximated, "only the tools that are allowed are offered")
	}
	for _, t := range e.tools {
		if t.Kind != chat.Server {
			e.names.To(t.Name)
		}
	}
	return nil
}

// serves reports whether a tool that runs upstream may be one of a compatible
// server's own: theirs have a type, Google's have none and Anthropic's are dated.
func (e *composer) serves(t chat.Tool) bool {
	kind := gjson.GetBytes(t.Raw, "type").Str
	tail := kind[strings.LastIndexByte(kind, '_')+1:]
	dated := len(tail) == 8 && strings.Trim(tail, "0123456789") == ""
	return e.t.Compatible && kind != "" && !dated
}

func (e *composer) writeTools() error {
	if len(e.tools) == 0 {
		if mode := e.c.Choice.Mode; mode == chat.Required || mode == chat.Named || e.c.Choice.Forced {
			return e.refuse(chat.Lost(chat.FieldChoice, chat.Dropped, ""), "there are no tools")
		}
		return nil
	}
	e.key("tools").open('[')
	for _, t := range e.tools {
		e.tool(t)
	}
	e.close(']')
	e.choice()
	if e.c.Choice.Serial {
		e.key("parallel_tool_calls").bool(false)
	}
	return nil
}

func (e *composer) tool(t chat.Tool) {
	if t.Cache != nil {
		e.losses = append(e.losses, chat.Loss{Field: chat.FieldTool, Message: -1, Part: t.At, Verb: chat.Ignored, Note: "cache marker"})
	}
	switch {
	case t.Kind == chat.Server:
		e.raw(t.Raw)
		return
	case t.Kind == chat.Custom && !e.t.Compatible:
		e.open('{').key("type").word(`"custom"`).key("custom").open('{').key("name").text(e.names.To(t.Name))
		if t.Description != "" {
			e.key("description").text(t.Description)
		}
		if len(t.Grammar) > 0 {
			e.key("format").raw(t.Grammar)
		}
		e.close('}').close('}')
		return
	}
	e.open('{').key("type").word(`"function"`).key("function").open('{').key("name").text(e.names.To(t.Name))
	if t.Description != "" {
		e.key("description").text(t.Description)
	}
	e.parameters(t)
	e.close('}').close('}')
}

// freeText is the schema of a tool that takes free text, where there are only
// functions.
const freeText = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

func (e *composer) parameters(t chat.Tool) {
	if t.Kind == chat.Custom {
		note := "a function with one string"
		if len(t.Grammar) > 0 {
			note += ", without the grammar"
		}
		e.losses = append(e.losses, chat.LostTool(t, chat.Approximated, note))
		e.key("parameters").word(freeText)
		return
	}
	schema, strict := e.strictly(t.Schema, t.Strict, chat.LostTool(t, chat.Approximated, ""))
	if schema != nil {
		e.key("parameters").raw(e.rooted(schema, t))
	}
	if strict != nil {
		e.key("strict").bool(*strict)
	}
}

// rooted says that arguments are an object where a schema leaves it to be
// understood: the API insists.
func (e *composer) rooted(schema []byte, t chat.Tool) []byte {
	if gjson.GetBytes(schema, "type").Exists() {
		return schema
	}
	e.losses = append(e.losses, chat.LostTool(t, chat.Added, "type object"))
	inner := schema[slices.Index(schema, '{')+1:]
	if strings.TrimSpace(string(inner)) == "}" {
		return []byte(`{"type":"object","properties":{}}`)
	}
	return append([]byte(`{"type":"object",`), inner...)
}

func (e *composer) choice() {
	c := &e.c.Choice
	switch c.Mode {
	case chat.Auto:
		e.key("tool_choice").text("auto")
	case chat.None:
		e.key("tool_choice").text("none")
	case chat.Required:
		e.key("tool_choice").text("required")
	case chat.Named:
		e.key("tool_choice")
		e.named(c.Name)
	case chat.Allowed:
		e.allowed(c.Names, c.Forced)
	case chat.Validated:
		e.lose(chat.FieldChoice, chat.Approximated, "auto, and arguments are checked only for strict tools")
		if len(c.Names) > 0 {
			e.allowed(c.Names, false)
		}
	case chat.Unset:
	}
}

func (e *composer) allowed(names []string, forced bool) {
	mode := "auto"
	if forced {
		mode = "required"
	}
	if e.t.Compatible {
		e.key("tool_choice").text(mode)
		return
	}
	e.key("tool_choice").open('{').key("type").word(`"allowed_tools"`).key("allowed_tools").open('{')
	e.key("mode").text(mode).key("tools").open('[')
	for _, name := range names {
		e.named(name)
	}
	e.close(']').close('}').close('}')
}

func (e *composer) named(tool string) {
	kind := "function"
	if e.custom(tool) {
		kind = "custom"
	}
	e.open('{').key("type").text(kind).key(kind).open('{').key("name").text(e.names.To(tool)).close('}').close('}')
}

// custom reports whether a tool is called in free text upstream.
func (e *composer) custom(tool string) bool {
	i, ok := e.known[tool]
	return ok && !e.t.Compatible && e.tools[i].Kind == chat.Custom
}

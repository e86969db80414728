package anthropic

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// dated is the type of a tool that Anthropic defined.
var dated = regexp.MustCompile(`_20\d{6}$`)

// freeText is the schema of a tool that takes words rather than arguments.
const freeText = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// noArguments is the schema of a tool that takes nothing.
const noArguments = `{"type":"object","properties":{}}`

// define writes the tools that the model may call.
func (c *composer) define() error {
	defined := make(map[string]chat.Tool, len(c.talk.Tools))
	allowed := c.allowed()
	for _, t := range c.talk.Tools {
		if allowed != nil && !allowed[t.Name] {
			continue
		}
		if twin, ok := defined[t.Name]; ok {
			if !same(&twin, &t) {
				return refuse(chat.LostTool(t, chat.Dropped, ""), "there is another tool called %q.", t.Name)
			}
			c.lose(chat.LostTool(t, chat.Ignored, "defined twice"))
			continue
		}
		defined[t.Name] = t
		b, err := c.tool(&t)
		if err != nil {
			return err
		}
		c.tools = append(c.tools, b)
	}
	if len(c.talk.Tools) == 0 {
		c.recall()
	}
	for _, name := range append(slices.Clone(c.talk.Choice.Names), c.talk.Choice.Name) {
		if _, ok := defined[name]; !ok && name != "" {
			return refuse(dropped(chat.FieldChoice), "there is no tool called %q.", name)
		}
	}
	return nil
}

// allowed is the tools that the choice leaves in; nil: all.
func (c *composer) allowed() map[string]bool {
	choice := &c.talk.Choice
	if choice.Mode != chat.Allowed && choice.Mode != chat.Validated || len(choice.Names) == 0 {
		return nil
	}
	names := make(map[string]bool, len(choice.Names))
	for _, name := range choice.Names {
		names[name] = true
	}
	return names
}

func same(a, b *chat.Tool) bool {
	strict := func(t *chat.Tool) bool { return t.Strict != nil && *t.Strict }
	return a.Kind == b.Kind && a.Description == b.Description && strict(a) == strict(b) &&
		bytes.Equal(a.Schema, b.Schema) && bytes.Equal(a.Grammar, b.Grammar) && bytes.Equal(a.Raw, b.Raw)
}

// recall defines the tools that were called before and are no longer offered:
// the API refuses calls of tools it was not told of.
func (c *composer) recall() {
	known := make(map[string]bool)
	for _, m := range c.talk.Messages {
		for _, p := range m.Parts {
			if p.Kind != chat.ToolCall || m.Role != chat.Assistant || known[p.Name] {
				continue
			}
			known[p.Name] = true
			b := dialect.AppendText([]byte(`{"name":`), c.names.To(p.Name))
			c.tools = append(c.tools, block{json: append(b, `,"input_schema":`+noArguments...)})
		}
	}
	if len(known) > 0 {
		c.choice = `{"type":"none"}`
		c.lose(chat.Lost(chat.FieldTools, chat.Added, "those that were called before, not to be called again"))
	}
}

// tool writes one definition.
func (c *composer) tool(t *chat.Tool) (block, error) {
	if t.Kind == chat.Server {
		raw := bytes.TrimSpace(t.Raw)
		if !dated.MatchString(gjson.GetBytes(raw, "type").Str) {
			return block{}, refuse(chat.LostTool(*t, chat.Dropped, ""), "%s runs at a provider that is not the model's.", t.Name)
		}
		return block{json: bytes.Clone(raw[:len(raw)-1]), cache: t.Cache}, nil
	}
	b := dialect.AppendText([]byte(`{"name":`), c.names.To(t.Name))
	schema, strict, description := json.RawMessage(freeText), false, c.grammar(t)
	if t.Kind != chat.Custom {
		schema, strict = c.schema(t)
	}
	if description != "" {
		b = dialect.AppendText(append(b, `,"description":`...), description)
	}
	b = append(append(b, `,"input_schema":`...), schema...)
	if strict {
		b = append(b, `,"strict":true`...)
	}
	return block{json: c.rest(t.Raw, b), cache: t.Cache}, nil
}

// grammar is a tool's description and, of one that takes words, what they must be like.
func (c *composer) grammar(t *chat.Tool) string {
	if t.Kind != chat.Custom {
		return t.Description
	}
	c.lose(chat.LostTool(*t, chat.Approximated, "free text as the argument input"))
	g := gjson.ParseBytes(t.Grammar)
	if inner := g.Get("grammar"); inner.IsObject() {
		g = inner
	}
	if definition := g.Get("definition").Str; definition != "" {
		return lines(t.Description, "The input must match this "+g.Get("syntax").Str+" grammar:", definition)
	}
	return t.Description
}

// schema is what the arguments must be like, and whether the API is to enforce it.
func (c *composer) schema(t *chat.Tool) (json.RawMessage, bool) {
	if len(t.Schema) == 0 {
		return json.RawMessage(noArguments), false
	}
	strict := t.Strict != nil && *t.Strict
	if strict && c.can.format {
		schema, note, ok := strictSchema(t.Schema)
		if ok && note != "" {
			c.lose(chat.LostTool(*t, chat.Approximated, note))
		}
		if ok {
			return schema, true
		}
		c.lose(chat.LostTool(*t, chat.Dropped, "strict: "+note))
	} else if strict {
		c.lose(chat.LostTool(*t, chat.Dropped, "strict: the model does not know it"))
	}
	schema, note := objectSchema(t.Schema)
	if note != "" {
		c.lose(chat.LostTool(*t, chat.Approximated, note))
	}
	return schema, false
}

// rest writes what else a client of this dialect said of a part or a tool.
func (c *composer) rest(raw json.RawMessage, b []byte) []byte {
	if !c.ours || len(raw) == 0 {
		return b
	}
	gjson.ParseBytes(raw).ForEach(func(k, v gjson.Result) bool {
		b = append(member(b, k.Str), v.Raw...)
		return true
	})
	return b
}

// choose writes how tools are chosen. Some models, and thinking within a budget,
// bear no force: then the model is told in words.
func (c *composer) choose(p *plan) {
	choice := &c.talk.Choice
	forced := choice.Mode == chat.Required || choice.Mode == chat.Named || choice.Mode == chat.Allowed && choice.Forced
	if len(c.tools) == 0 || c.choice != "" {
		if forced {
			c.lose(chat.Lost(chat.FieldChoice, chat.Dropped, "there are no tools"))
		}
		return
	}
	kind := "auto"
	switch {
	case choice.Mode == chat.None:
		c.choice = `{"type":"none"}`
		return
	case choice.Mode == chat.Unset && !choice.Serial:
		return
	case forced && (!c.can.forced || p.kind == thinkEnabled):
		c.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "asked for in words"))
		name := choice.Name
		if name != "" {
			name = c.names.To(name)
		}
		c.system = append(c.system, textual(mustCall(name)))
	case choice.Mode == chat.Named:
		kind = "tool"
	case forced:
		kind = "any"
	}
	if choice.Mode == chat.Allowed || choice.Mode == chat.Validated && len(choice.Names) > 0 {
		c.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "only the allowed tools are offered"))
	} else if choice.Mode == chat.Validated {
		c.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "auto"))
	}
	b := []byte(`{"type":"` + kind + `"`)
	if kind == "tool" {
		b = dialect.AppendText(append(b, `,"name":`...), c.names.To(choice.Name))
	}
	if choice.Serial {
		b = append(b, `,"disable_parallel_tool_use":true`...)
	}
	c.choice = string(append(b, '}'))
}

func mustCall(name string) string {
	if name == "" {
		return "You must call at least one of the tools in your next turn."
	}
	return "You must call the tool " + name + " in your next turn."
}

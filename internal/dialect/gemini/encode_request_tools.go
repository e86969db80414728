package gemini

import (
	"bytes"

	"stele/internal/chat"
)

const (
	longestName = 128
	mostTools   = 512
)

// legal reports whether the API takes a function's name.
func legal(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}
	for i := range len(name) {
		b := name[i]
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
		if !letter && (i == 0 || !(b >= '0' && b <= '9' || b == '.' || b == ':' || b == '-')) {
			return false
		}
	}
	return true
}

// toolList writes tools and toolConfig: one Tool with all functions, and one for
// each that runs at Google.
func (c *composer) toolList() {
	if len(c.talk.Tools) > 0 {
		c.key("tools")
		c.open('[')
		c.functions()
		for i := range c.talk.Tools {
			if t := &c.talk.Tools[i]; t.Kind == chat.Server {
				c.server(t)
			}
		}
		c.close(']')
	}
	c.choice()
}

// functions writes one list of declarations. The same tool twice is one.
func (c *composer) functions() {
	begun := false
	for i := range c.talk.Tools {
		t := &c.talk.Tools[i]
		if i >= mostTools {
			c.refuse(chat.LostTool(*t, chat.Dropped, ""), "there are more than %d tools", mostTools)
			break
		}
		if t.Kind == chat.Server || c.twin(t, i) {
			continue
		}
		if !begun {
			begun = true
			c.open('{')
			c.key("functionDeclarations")
			c.open('[')
		}
		c.declare(t)
	}
	if begun {
		c.close(']')
		c.close('}')
	}
}

// twin reports whether a tool is there already. Two different ones of the same
// name are refused.
func (c *composer) twin(t *chat.Tool, i int) bool {
	if c.declared == nil {
		c.declared = make(map[string]int)
	}
	at, there := c.declared[t.Name]
	if !there {
		c.declared[t.Name] = i
		return false
	}
	o := &c.talk.Tools[at]
	if o.Kind != t.Kind || o.Description != t.Description || !bytes.Equal(o.Schema, t.Schema) {
		c.refuse(chat.LostTool(*t, chat.Dropped, ""), "there are two different tools named %q", t.Name)
	}
	c.lose(chat.LostTool(*t, chat.Ignored, "the same tool is there already"))
	return true
}

// customSchema is what a tool that takes free text becomes.
const customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

func (c *composer) declare(t *chat.Tool) {
	sent := c.names.To(t.Name)
	if sent != t.Name {
		c.lose(chat.LostTool(*t, chat.Ignored, "called "+sent+" on the way"))
	}
	c.open('{')
	c.member("name", sent)
	if t.Description != "" {
		c.member("description", t.Description)
	}
	schema := t.Schema
	if t.Kind == chat.Custom {
		schema = []byte(customSchema)
		note := "sent as a function with one string"
		if t.Grammar != nil {
			note += "; the grammar is left out"
		}
		c.lose(chat.LostTool(*t, chat.Approximated, note))
	}
	if written, notes := rewrite(schema, true); written != nil {
		c.key("parametersJsonSchema")
		c.raw(written)
		if l, changed := notes.loss(chat.LostTool(*t, chat.Approximated, "")); changed {
			c.lose(l)
		}
	}
	if c.ours && t.Raw != nil && t.Kind == chat.Function {
		c.members(t.Raw)
	}
	c.close('}')
}

// server writes a tool that runs at Google; another upstream's is refused.
func (c *composer) server(t *chat.Tool) {
	own := cursor{b: t.Raw}
	if own.enter('{') {
		if key, ok := own.name(); ok && string(key) == t.Name {
			own.skip()
			if _, more := own.name(); !more && !own.bad {
				c.raw(t.Raw)
				return
			}
		}
	}
	c.refuse(chat.LostTool(*t, chat.Dropped, ""), "the tool %q runs at another provider", t.Name)
}

// choice writes toolConfig.
func (c *composer) choice() {
	want := &c.talk.Choice
	if want.Serial {
		c.lose(chat.Lost(chat.FieldParallel, chat.Dropped, "the API has no switch for it"))
	}
	mode, names := c.mode(want)
	if mode == "" && !c.has("toolConfig") {
		return
	}
	c.key("toolConfig")
	c.open('{')
	if mode != "" || c.has("toolConfig.functionCallingConfig") {
		c.key("functionCallingConfig")
		c.open('{')
		if mode != "" {
			c.member("mode", mode)
		}
		if len(names) > 0 {
			c.key("allowedFunctionNames")
			c.open('[')
			for _, n := range names {
				c.text(c.names.To(n))
			}
			c.close(']')
		}
		c.inside("toolConfig.functionCallingConfig")
		c.close('}')
	}
	c.inside("toolConfig")
	c.close('}')
}

func (c *composer) mode(want *chat.Choice) (mode string, names []string) {
	functions, strict, served := 0, 0, false
	for i := range c.talk.Tools {
		t := &c.talk.Tools[i]
		served = served || t.Kind == chat.Server
		if t.Kind != chat.Server {
			functions++
			if t.Strict != nil && *t.Strict {
				strict++
			}
		}
	}
	if functions == 0 {
		if want.Mode != chat.Unset && want.Mode != chat.None && want.Mode != chat.Auto {
			c.lose(chat.Lost(chat.FieldChoice, chat.Dropped, "there are no tools"))
		}
		return "", nil
	}
	switch want.Mode {
	case chat.None:
		return "NONE", nil
	case chat.Required:
		return "ANY", nil
	case chat.Named:
		return "ANY", c.existing([]string{want.Name})
	case chat.Allowed:
		if want.Forced {
			return "ANY", c.existing(want.Names)
		}
		c.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "VALIDATED with the names"))
		return "VALIDATED", c.existing(want.Names)
	case chat.Validated:
		return "VALIDATED", c.existing(want.Names)
	case chat.Auto, chat.Unset:
	}
	return c.free(want.Mode, functions, strict, served), nil
}

// free is the mode where the model chooses. Tools that must be called strictly
// by their schema are so if all of them must.
func (c *composer) free(want chat.ChoiceMode, functions, strict int, served bool) string {
	switch {
	case strict == functions:
		return "VALIDATED"
	case strict > 0:
		c.lose(chat.Lost(chat.FieldTools, chat.Approximated, "strict holds only where all tools are"))
	}
	if want == chat.Auto && !served {
		return "AUTO"
	}
	return ""
}

// existing checks that the tools that are named are there.
func (c *composer) existing(names []string) []string {
	there := make(map[string]bool, len(c.talk.Tools))
	for i := range c.talk.Tools {
		there[c.talk.Tools[i].Name] = true
	}
	for _, n := range names {
		if !there[n] {
			c.refuse(chat.Lost(chat.FieldChoice, chat.Dropped, ""), "there is no tool named %q", n)
		}
	}
	return names
}

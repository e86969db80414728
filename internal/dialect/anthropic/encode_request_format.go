package anthropic

import (
	"encoding/json"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// prompt writes the system text that comes before everything else.
func (c *composer) prompt() error {
	for i := range c.talk.System {
		p := &c.talk.System[i]
		if strings.TrimSpace(p.Text) == "" {
			if n := len(c.system); n > 0 && p.Cache != nil && c.system[n-1].cache == nil {
				c.system[n-1].cache = p.Cache
			}
			continue
		}
		b := textual(p.Text)
		b.json, b.cache = c.rest(p.Raw, b.json), p.Cache
		if p.Kind != chat.Text {
			c.lose(chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Approximated, Note: "as text"})
		}
		c.system = append(c.system, b)
	}
	return nil
}

// The lines that stand in for formats the API or the model does not have.
const (
	onlyJSON = "Answer with one JSON object and nothing else: no words before or after it, no code fence."
	likeThis = "It must match this JSON Schema:"
	oneOf    = "Answer with exactly one of the following, and nothing else, without quotes:"
)

// shape is the schema the API is to hold the answer to, or nil where the model
// is told in words.
func (c *composer) shape() json.RawMessage {
	f := c.talk.Format
	if f == nil {
		return nil
	}
	if f.Name != "" {
		c.lose(chat.Lost(chat.FieldFormat, chat.Ignored, "its name"))
	}
	switch f.Kind {
	case chat.JSONObject:
		c.say("any JSON, asked for in words", onlyJSON)
		return nil
	case chat.EnumText:
		c.say("one of a list, asked for in words", oneOf+"\n"+enumText(f.Schema))
		return nil
	case chat.JSONSchema:
	}
	schema, note, ok := f.Schema, "the model does not know it", false
	if c.can.format {
		schema, note, ok = strictSchema(f.Schema)
	}
	if !ok {
		c.say("asked for in words: "+note, onlyJSON+" "+likeThis+"\n"+string(f.Schema))
		return nil
	}
	if note != "" {
		c.lose(chat.Lost(chat.FieldFormat, chat.Approximated, note))
	}
	if f.Description != "" && !has(schema, "description") {
		schema = with(schema, dialect.AppendText([]byte(`"description":`), f.Description))
	}
	return schema
}

// say asks the model in words for what cannot be asked for otherwise.
func (c *composer) say(note, line string) {
	c.lose(chat.Lost(chat.FieldFormat, chat.Approximated, note))
	c.system = append(c.system, textual(line))
}

// write writes tools, system text and turns, in the order in which the upstream
// reads and caches them.
func (c *composer) write(body []byte) []byte {
	marks := marks{left: mostMarks}
	if c.choice != "" {
		body = append(append(body, `,"tool_choice":`...), c.choice...)
	}
	if len(c.tools) > 0 {
		body = marks.list(append(body, `,"tools":`...), c.tools)
	}
	if len(c.system) > 0 {
		body = marks.list(append(body, `,"system":`...), c.system)
	}
	body = append(body, `,"messages":[`...)
	for i, t := range c.turns {
		if i > 0 {
			body = append(body, ',')
		}
		role := "user"
		switch t.role {
		case chat.Assistant:
			role = "assistant"
		case chat.System:
			role = "system"
		case chat.User:
		}
		body = marks.list(append(body, `{"role":"`+role+`","content":`...), t.blocks)
		body = append(body, '}')
	}
	body = append(body, ']')
	if c.talk.Cache != nil {
		body = marks.mark(body, c.talk.Cache)
	}
	if marks.lost > 0 {
		c.lose(chat.Lost(chat.FieldCache, chat.Ignored, "four markers are the most"))
	}
	if marks.changed {
		c.lose(chat.Lost(chat.FieldCache, chat.Ignored, "kept for five minutes or an hour, the longer first"))
	}
	return body
}

const mostMarks = 4

// marks gives out cache markers: four at most, those for an hour before those
// for five minutes. Later ones give way, so that what was sent before stays as it was.
type marks struct {
	left    int
	short   bool // one for five minutes was given out
	lost    int
	changed bool
}

// list writes blocks with their markers.
func (k *marks) list(dst []byte, blocks []block) []byte {
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, b.json...)
		if b.cache != nil {
			dst = k.mark(dst, b.cache)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (k *marks) mark(dst []byte, c *chat.Cache) []byte {
	if k.left == 0 {
		k.lost++
		return dst
	}
	k.left--
	ttl := c.TTL
	switch ttl {
	case "", "5m", "1h":
	case "12h", "24h":
		ttl, k.changed = "1h", true
	default:
		ttl, k.changed = "5m", true
	}
	if ttl == "1h" && k.short {
		ttl, k.changed = "5m", true
	}
	k.short = k.short || ttl != "1h"
	dst = append(dst, `,"cache_control":{"type":"ephemeral"`...)
	if ttl != "" {
		dst = append(dst, `,"ttl":"`+ttl+`"`...)
	}
	return append(dst, '}')
}

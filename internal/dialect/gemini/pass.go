package gemini

import (
	"bytes"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// PassRequest is the client's own bytes. They are touched only where they hold a
// switch of ours that Google would refuse, or a signature that we wrapped.
func (Codec) PassRequest(req *chat.Request, t dialect.Target) (dialect.Call, error) {
	p := passer{b: req.Origin.Body, target: t, traits: traitsOf(t.Model)}
	body := unseal(p.loosen(), t)
	if p.err != nil {
		return dialect.Call{}, p.err
	}
	if t.Forget {
		p.losses = append(p.losses, chat.Lost(chat.FieldThinking, chat.Dropped, "signatures of earlier turns, which were refused"))
	}
	return dialect.Call{Path: address(t), Body: body, Losses: p.losses}, nil
}

type passer struct {
	b      []byte
	target dialect.Target
	traits traits
	losses []chat.Loss
	err    error
	own    []span // the body's members
	think  []byte // thinkingConfig, to be put into generationConfig
	under  []wireMember
}

// ours are the members that are not Google's, or not at this place.
var ours = []string{"thinkingConfig", "reasoning", "thinking", "reasoningEffort", "extraBody", "options", "model"}

// touched reports whether the body holds any of our switches.
func touched(body []byte) bool {
	c := cursor{b: body}
	c.enter('{')
	for {
		key, more := c.name()
		if !more {
			return false
		}
		switch string(c.camel(key)) {
		case "thinkingConfig", "reasoning", "thinking", "reasoningEffort", "extraBody", "options", "model":
			return true
		case "systemInstruction":
			if c.peek() == '"' {
				return true
			}
		}
		c.skip()
	}
}

// loosen puts our switches into Google's words. Everything else keeps its bytes,
// its order and its white space.
func (p *passer) loosen() []byte {
	if !touched(p.b) {
		return p.b
	}
	var end int
	p.own, end = spans(p.b, 0)
	p.gather()
	out := writer{b: make([]byte, 0, len(p.b)+256)}
	out.b = append(out.b, p.b[:bytes.IndexByte(p.b, '{')+1]...)
	configured := false
	for _, s := range p.own {
		if s.key == "generationConfig" {
			configured = true
		}
		p.keep(&out, s)
	}
	for _, m := range p.under {
		out.named(m.name)
		out.raw(m.value)
	}
	if !configured && p.think != nil {
		out.key("generationConfig")
		out.open('{')
		out.key("thinkingConfig")
		out.raw(p.think)
		out.close('}')
	}
	return append(out.b, p.b[end-1:]...)
}

// gather reads our switches: those of the body first, then those beneath it.
func (p *passer) gather() {
	var seen set
	var below [][]byte
	for _, s := range p.own {
		value := p.b[s.value:s.end]
		seen.add(s.key)
		if s.key == "extraBody" || s.key == "options" {
			below = append(below, value)
		}
	}
	for _, s := range p.own {
		p.rethink(s.key, p.b[s.value:s.end])
	}
	for _, b := range below {
		inner, _ := spans(b, 0)
		for _, s := range inner {
			value := b[s.value:s.end]
			if !seen.add(s.key) {
				if s.key == "generationConfig" && slices.ContainsFunc(p.own, func(o span) bool { return o.key == s.key }) {
					p.beneath(value)
				}
				continue
			}
			if !p.rethink(s.key, value) && !slices.Contains(ours, s.key) {
				p.under = append(p.under, wireMember{s.key, value})
			}
		}
	}
}

// rethink takes a switch for thinking and reports whether it was one.
func (p *passer) rethink(key string, value []byte) bool {
	switch key {
	case "thinkingConfig":
		p.think = value
		return true
	case "reasoning", "thinking", "reasoningEffort":
	default:
		return false
	}
	var effort string
	switch value[0] {
	case 't':
		return true
	case 'f':
		effort = "none"
	case '"':
		level, err := dialect.Effort(textOf(value), key)
		if err != nil {
			p.err = err
			return true
		}
		effort = level
	default:
		return false
	}
	if p.think != nil {
		return true
	}
	want, losses := p.traits.think(&chat.Thinking{Effort: effort})
	p.losses = append(p.losses, losses...)
	var w writer
	switch {
	case want.level != "":
		w.open('{')
		w.member("thinkingLevel", want.level)
		w.close('}')
	case want.budget != nil:
		w.open('{')
		w.integer("thinkingBudget", *want.budget)
		w.close('}')
	}
	p.think = w.b
	return true
}

// beneath merges a generationConfig under the body's own.
func (p *passer) beneath(value []byte) {
	inner, _ := spans(value, 0)
	for _, s := range inner {
		p.under = append(p.under, wireMember{"generationConfig." + s.key, value[s.value:s.end]})
	}
}

// keep writes one of the body's members, unless it is a switch of ours.
func (p *passer) keep(out *writer, s span) {
	value := p.b[s.value:s.end]
	switch {
	case s.key == "model":
		out.comma()
		out.b = append(out.b, p.b[s.from:s.value]...)
		out.b = dialect.AppendText(out.b, "models/"+p.target.Model)
		out.b = append(out.b, p.b[s.end:s.to]...)
	case s.key == "systemInstruction" && value[0] == '"':
		out.comma()
		out.b = append(out.b, p.b[s.from:s.value]...)
		out.b = append(out.b, `{"parts":[{"text":`...)
		out.b = append(append(out.b, value...), `}]}`...)
		out.b = append(out.b, p.b[s.end:s.to]...)
	case s.key == "generationConfig":
		p.config(out, s)
	case s.key == "extraBody" || s.key == "options" || s.key == "thinkingConfig":
	case slices.Contains(ours, s.key) && switches(value):
	default:
		out.comma()
		out.b = append(out.b, p.b[s.from:s.to]...)
	}
}

// switches reports whether a value is one that we understand as a switch.
func switches(value []byte) bool { return value[0] == 't' || value[0] == 'f' || value[0] == '"' }

// config writes generationConfig with what it did not have itself.
func (p *passer) config(out *writer, s span) {
	inner, end := spans(p.b, s.value)
	if inner == nil && end == s.value {
		out.raw(p.b[s.from:s.to])
		return
	}
	out.comma()
	out.b = append(out.b, p.b[s.from:end-1]...)
	var has set
	for _, i := range inner {
		has.add(i.key)
	}
	empty := len(inner) == 0
	add := func(key string, value []byte) {
		if !has.add(key) {
			return
		}
		if !empty {
			out.b = append(out.b, ',')
		}
		empty = false
		out.b = append(dialect.AppendText(out.b, key), ':')
		out.b = append(out.b, value...)
	}
	rest := p.under[:0]
	for _, m := range p.under {
		if key, ok := bytes.CutPrefix([]byte(m.name), []byte("generationConfig.")); ok {
			add(string(key), m.value)
		} else {
			rest = append(rest, m)
		}
	}
	p.under = rest
	if p.think != nil {
		add("thinkingConfig", p.think)
	}
	out.b = append(out.b, p.b[end-1:s.to]...)
}

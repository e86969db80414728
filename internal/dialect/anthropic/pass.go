package anthropic

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// PassRequest is the client's own bytes with the model's name in them. Only what
// the API itself would not understand is changed besides: loose switches, and
// signatures in our envelopes.
func (Codec) PassRequest(req *chat.Request, target dialect.Target) (dialect.Call, error) {
	call := dialect.Call{Path: endpoint, Header: make(http.Header, 2), Body: req.Origin.Body}
	if version := req.Origin.Header.Get(versionHeader); version != "" {
		call.Header.Set(versionHeader, version)
	} else {
		call.Header.Set(versionHeader, version2023)
		call.Losses = append(call.Losses, noVersion())
	}
	if betas := req.Origin.Header.Values(betaHeader); len(betas) > 0 {
		call.Header[betaHeader] = betas
	}
	model, odd := survey(call.Body)
	if !odd && !target.Forget {
		call.Body = rename(call.Body, model.from, model.to, target.Model)
		return call, nil
	}
	call.Body = unfold(call.Body)
	loosened(&call, target)
	unseal(&call, target)
	if target.Forget {
		forget(&call)
	}
	model, _ = survey(call.Body)
	call.Body = rename(call.Body, model.from, model.to, target.Model)
	return call, nil
}

// Rename puts another model's name into an answer or a frame. What has none
// comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 || !bytes.Contains(raw, []byte(`"model"`)) {
		return raw
	}
	path := "model"
	if gjson.GetBytes(raw[start:], "type").Str == "message_start" {
		path = "message.model"
	}
	v := gjson.GetBytes(raw[start:], path)
	if v.Type != gjson.String || v.Index == 0 {
		return raw
	}
	return rename(raw, start+v.Index, start+v.Index+len(v.Raw), model)
}

// rename puts a model's name in place of what is between two places.
func rename(raw []byte, from, to int, model string) []byte {
	out := make([]byte, 0, len(raw)-(to-from)+len(model)+8)
	out = append(out, raw[:from]...)
	out = dialect.AppendText(out, model)
	return append(out, raw[to:]...)
}

// Dull reports whether a run of whole frames ends with content: nothing about the
// message as a whole, and no error. The message begins in the first frame and ends
// in the last ones, after all content. A server that leaves the events' names out is
// never dull.
func (Codec) Dull(frames []byte) bool {
	last := wire.Tail(frames, 1)
	return bytes.HasPrefix(last, []byte("event: content_block_")) && !bytes.Contains(last, []byte(`error`))
}

// edit is a stretch of a body and what comes in its place.
type edit struct {
	from, to int
	text     []byte
}

// survey finds the model's name in a body, and whether there is anything in it
// that the API would not understand.
func survey(body []byte) (model edit, odd bool) {
	w := walk(body)
	for key, from, to, ok := w.next(); ok; key, from, to, ok = w.next() {
		switch string(key) {
		case "model":
			model.from, model.to = from, to
		case "thinking", "reasoning", "reasoning_effort":
			odd = odd || body[from] == 't' || body[from] == 'f'
		case "extra_body", "options":
			odd = odd || body[from] == '{'
		}
	}
	// All envelopes begin alike. The end of that beginning is looked for first: its letters are rarer.
	tail := chat.EnvelopePrefix[2:]
	return model, odd || bytes.Contains(body, []byte(tail)) && bytes.Contains(body, []byte(chat.EnvelopePrefix))
}

// loosened turns switches that are only true or false into the API's own fields.
func loosened(call *dialect.Call, target dialect.Target) {
	on, found := false, false
	for _, key := range []string{"reasoning", "reasoning_effort", "thinking"} {
		if v := gjson.GetBytes(call.Body, key); v.IsBool() {
			on, found = v.Bool(), true
			call.Body, _ = sjson.DeleteBytes(call.Body, key)
		}
	}
	if !found || gjson.GetBytes(call.Body, "thinking").Exists() {
		return
	}
	talk := &chat.Conversation{Thinking: toggle(on)}
	if limit := gjson.GetBytes(call.Body, "max_tokens"); limit.Type == gjson.Number && limit.Int() > 0 {
		n := limit.Int()
		talk.Sampling.MaxTokens = &n
	}
	c := newComposer(talk, target)
	p := c.think()
	limit := c.limit(&p)
	if n := talk.Sampling.MaxTokens; n != nil && p.budget > 0 && limit != *n {
		call.Body, _ = sjson.SetBytes(call.Body, "max_tokens", limit)
	}
	fields := append(bytes.TrimPrefix(c.thinks([]byte{'{'}, &p, nil), []byte("{,")), '}')
	gjson.ParseBytes(append([]byte{'{'}, fields...)).ForEach(func(k, v gjson.Result) bool {
		if k.Str == "output_config" {
			call.Body, _ = sjson.SetRawBytes(call.Body, "output_config.effort", []byte(v.Get("effort").Raw))
		} else {
			call.Body = with(call.Body, append(member([]byte{'{'}, k.Str), v.Raw...)[1:])
		}
		return true
	})
	call.Losses = append(call.Losses, c.losses...)
}

// unseal opens the envelopes that are addressed to this upstream and leaves out
// the thoughts in those that are not: they were made elsewhere, and it would
// refuse them.
func unseal(call *dialect.Call, target dialect.Target) {
	c := newComposer(new(chat.Conversation), target)
	changed := retell(call, func(content gjson.Result, message int) ([]byte, bool) {
		if !strings.Contains(content.Raw, chat.EnvelopePrefix) {
			return nil, false
		}
		return c.unsealTurn(content, message)
	})
	call.Losses = append(call.Losses, c.losses...)
	if changed {
		mend(call)
	}
}

// retell puts other content in the place of a body's turns, where turn says so,
// and reports whether it did anywhere.
func retell(call *dialect.Call, turn func(content gjson.Result, message int) ([]byte, bool)) bool {
	var edits []edit
	i := 0
	gjson.GetBytes(call.Body, "messages").ForEach(func(_, m gjson.Result) bool {
		if content := m.Get("content"); content.IsArray() {
			if text, changed := turn(content, i); changed {
				edits = append(edits, edit{content.Index, content.Index + len(content.Raw), text})
			}
		}
		i++
		return true
	})
	if len(edits) == 0 {
		return false
	}
	out, done := make([]byte, 0, len(call.Body)), 0
	for _, e := range edits {
		out = append(append(out, call.Body[done:e.from]...), e.text...)
		done = e.to
	}
	call.Body = append(out, call.Body[done:]...)
	return true
}

// mend switches thinking off where what was left out began the turn whose tools
// are answered: the API would refuse to think on.
func mend(call *dialect.Call) {
	if gjson.GetBytes(call.Body, "thinking.type").Str == thinkEnabled && loopBroken(call.Body) {
		call.Body, _ = sjson.SetRawBytes(call.Body, "thinking", []byte(`{"type":"disabled"}`))
		call.Losses = append(call.Losses, chat.Lost(chat.FieldThinking, chat.Dropped, "off for this turn: the tool calls that it answers were made elsewhere"))
	}
}

// unsealTurn is the content of one turn without foreign thoughts.
func (c *composer) unsealTurn(content gjson.Result, message int) (text []byte, changed bool) {
	text = []byte{'['}
	part := 0
	content.ForEach(func(_, b gjson.Result) bool {
		raw, kept := b.Raw, true
		for kind, key := range map[string]string{"thinking": "signature", "redacted_thinking": "data"} {
			proof := b.Get(key).Str
			if _, ours := chat.Unwrap(proof); !ours || b.Get("type").Str != kind {
				continue
			}
			changed = true
			own, ok := c.proof(proof)
			if kept = ok; ok {
				raw, _ = sjson.Set(raw, key, own)
				continue
			}
			verb := chat.Dropped
			if kind == "thinking" && b.Get("thinking").Str == "" {
				verb = chat.Ignored
			}
			c.lose(chat.Loss{Field: chat.FieldPart, Message: message, Part: part, Verb: verb, Note: "thoughts of another upstream"})
		}
		if kept {
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = append(text, raw...)
		}
		part++
		return true
	})
	return append(text, ']'), changed
}

// loopBroken reports whether the last turn answers tool calls of a turn that
// does not begin with thoughts.
func loopBroken(body []byte) bool {
	messages := gjson.GetBytes(body, "messages").Array()
	if len(messages) < 2 {
		return false
	}
	last, step := messages[len(messages)-1], messages[len(messages)-2]
	first := step.Get("content.0.type").Str
	return last.Get(`content.#(type=="tool_result")`).Exists() && step.Get("role").Str == "assistant" &&
		first != "thinking" && first != "redacted_thinking"
}

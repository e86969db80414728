package openai

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// edit replaces some bytes of a body.
type edit struct {
	from, to int
	text     []byte
}

// apply makes all edits in one copy. They must not overlap.
func apply(body []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	size := len(body)
	for _, e := range edits {
		size += len(e.text) - (e.to - e.from)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(append(out, body[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, body[at:]...)
}

// layout is where a body has what may have to be edited.
type layout struct {
	model, messages, options gjson.Result

	think  switches
	loose  bool // a switch must be rewritten
	merged bool // extra_body or options must be
}

func lay(body []byte, t dialect.Target) (l layout) {
	gjson.Parse(view(body)).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "model":
			l.model = v
		case "messages":
			l.messages = v
		case "stream_options":
			l.options = v
		case "extra_body", "options":
			l.merged = true
		default:
			if l.think.put(key.Str, v) {
				l.loose = l.loose || looseSwitch(key.Str, v, t)
			}
		}
		return true
	})
	return l
}

// PassRequest is the client's own bytes with the model's name of the upstream,
// asking for usage if it is a stream, and without our own inventions: loose
// switches become the API's fields and envelopes what is in them.
func (Codec) PassRequest(req *chat.Request, t dialect.Target) (dialect.Call, error) {
	call := dialect.Call{Path: path}
	body := req.Origin.Body
	l := lay(body, t)
	var err error
	if l.merged {
		if body, err = merge(body); err != nil {
			return call, err
		}
		l = lay(body, t)
	}
	if l.loose {
		if body, call.Losses, err = l.rewrite(body, t); err != nil {
			return call, err
		}
		l = lay(body, t)
	}
	edits := append(make([]edit, 0, 4), edit{l.model.Index, l.model.Index + len(l.model.Raw), dialect.AppendText(nil, t.Model)})
	if req.Stream && !req.Origin.Usage {
		edits = append(edits, askUsage(body, l.options))
	}
	if bytes.Contains(body, []byte(chat.EnvelopePrefix)) || !t.Compatible && invented(view(body)) {
		edits = append(edits, unwrap(l.messages, t)...)
	}
	call.Body = apply(body, edits)
	return call, nil
}

// askUsage asks a stream for its usage.
func askUsage(body []byte, options gjson.Result) edit {
	const wish = `"include_usage":true`
	if !options.Exists() {
		end := bytes.LastIndexByte(body, '}')
		return edit{end, end, []byte(`,"stream_options":{` + wish + `}`)}
	}
	if !options.IsObject() || len(keys(options)) == 0 {
		return edit{options.Index, options.Index + len(options.Raw), []byte(`{` + wish + `}`)}
	}
	var found edit
	options.ForEach(func(key, v gjson.Result) bool {
		if key.Str == "include_usage" {
			found = edit{v.Index, v.Index + len(v.Raw), []byte("true")}
		}
		return true
	})
	if found.to > 0 {
		return found
	}
	return edit{options.Index + 1, options.Index + 1, []byte(wish + ",")}
}

// looseSwitch reports whether a switch is one that the upstream would not take:
// true and false everywhere, all but reasoning_effort at the API's author.
func looseSwitch(key string, v gjson.Result, t dialect.Target) bool {
	switch key {
	case "reasoning_effort", "reasoning", "thinking":
		return v.IsBool() || key != "reasoning_effort" && !t.Compatible && !absent(v)
	}
	return !t.Compatible && !absent(v)
}

// rewrite turns all switches into reasoning_effort.
func (l *layout) rewrite(body []byte, t dialect.Target) ([]byte, []chat.Loss, error) {
	thinking, _, err := l.think.resolve()
	if err != nil {
		return nil, nil, err
	}
	for _, key := range []string{"reasoning_effort", "reasoning", "thinking", "enable_thinking", "include_reasoning", "thinking_budget"} {
		if body, err = sjson.DeleteBytes(body, key); err != nil {
			return nil, nil, err
		}
	}
	e := composer{c: &chat.Conversation{Thinking: thinking}, t: t}
	if !t.Compatible {
		e.model = traitsOf(t.Model)
	}
	level, exact := e.wanted()
	var losses []chat.Loss
	switch thinks := e.model.reasons || !e.model.known; {
	case level == "" || level == "none" && !thinks:
	case !thinks:
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Dropped, "this model does not think"))
	default:
		effort := nearest(level, e.model.efforts())
		if !exact || effort != level {
			losses = append(losses, chat.Lost(chat.FieldThinking, chat.Approximated, "effort "+effort))
		}
		body, err = sjson.SetBytes(body, "reasoning_effort", effort)
	}
	return body, losses, err
}

// merge puts what extra_body and options hold under the body's own fields.
func merge(body []byte) ([]byte, error) {
	var more writer
	own := keys(gjson.Parse(view(body)))
	members(body, func(key string, v gjson.Result) bool {
		if !own[key] {
			more.text(key)
			more.b = append(more.b, ':')
			more.raw([]byte(v.Raw))
		}
		return true
	})
	var err error
	for _, key := range []string{"extra_body", "options"} {
		if v := gjson.GetBytes(body, key); !absent(v) && !v.IsObject() {
			return nil, wrong(key, "an object")
		}
		if body, err = sjson.DeleteBytes(body, key); err != nil {
			return nil, err
		}
	}
	if len(more.b) == 0 {
		return body, nil
	}
	end := bytes.LastIndexByte(body, '}')
	if inner := bytes.TrimSpace(body[:end]); inner[len(inner)-1] != '{' {
		more.b = append([]byte{','}, more.b...)
	}
	return apply(body, []edit{{end, end, more.b}}), nil
}

// unwrap gives envelopes back to the upstream that they are addressed to, as
// what they hold; others are taken out, with the thoughts they were made for.
func unwrap(messages gjson.Result, t dialect.Target) (edits []edit) {
	messages.ForEach(func(_, m gjson.Result) bool {
		if !strings.Contains(m.Raw, chat.EnvelopePrefix) && (t.Compatible || !invented(m.Raw)) {
			return true
		}
		if changed, ok := unwrapMessage(m, t); ok {
			edits = append(edits, edit{m.Index, m.Index + len(m.Raw), []byte(changed)})
		}
		return true
	})
	return edits
}

// invented reports whether a message may have fields that we add to answers and
// that the API itself does not take back.
func invented(raw string) bool {
	return strings.Contains(raw, `"reasoning_content"`) || strings.Contains(raw, `"reasoning_details"`) || strings.Contains(raw, `"extra_content"`)
}

func unwrapMessage(m gjson.Result, t dialect.Target) (raw string, changed bool) {
	const sealed = ".google.thought_signature"
	raw = m.Raw
	var extras []string
	for i := range min(m.Get("tool_calls.#").Int(), mostCalls) {
		extras = append(extras, "tool_calls."+strconv.FormatInt(i, 10)+".extra_content")
	}
	opened := false
	open := func(whole, place string) {
		var own bool
		raw, own = unwrapAt(raw, whole, place, t)
		opened = opened || own
	}
	extras = append(extras, "extra_content")
	for _, extra := range extras {
		open(extra, extra+sealed)
	}
	for i := range min(m.Get("reasoning_details.#").Int(), mostCalls) {
		item := "reasoning_details." + strconv.FormatInt(i, 10)
		open("reasoning_details", item+".signature")
		open("reasoning_details", item+".data")
	}
	if !t.Compatible && !opened { // none of it is the upstream's own
		for _, field := range append(extras, "reasoning_content", "reasoning_details") {
			if out, err := sjson.Delete(raw, field); err == nil {
				raw = out
			}
		}
	}
	return raw, raw != m.Raw
}

// unwrapAt replaces the envelope at a place by what is in it, or deletes what it
// is part of. It reports whether there was one for this upstream.
func unwrapAt(raw, whole, place string, t dialect.Target) (string, bool) {
	value := gjson.Get(raw, place).Str
	if _, ok := chat.Unwrap(value); !ok {
		return raw, false
	}
	if t.Proof != nil {
		if own, ok := t.Proof(value); ok {
			if out, err := sjson.Set(raw, place, own); err == nil {
				return out, true
			}
		}
	}
	if out, err := sjson.Delete(raw, whole); err == nil {
		return out, false
	}
	return raw, false
}

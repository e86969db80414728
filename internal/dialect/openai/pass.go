package openai

import (
	"bytes"
	"slices"
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

// sealed is where an envelope is in what we add to a call or to a message.
const sealed = "google.thought_signature"

// unwrapMessage gives a message its signatures back. Each call and each detail is
// looked at by itself: a message may have many, and be large.
func unwrapMessage(m gjson.Result, t dialect.Target) (raw string, changed bool) {
	u := unwrapper{t: t, own: make(map[int]string), foreign: make(map[int]bool)}
	m.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "tool_calls":
			v.ForEach(func(_, call gjson.Result) bool {
				call.ForEach(func(key, extra gjson.Result) bool {
					if key.Str == "extra_content" {
						u.look(extra, extra.Get(sealed))
					}
					return true
				})
				return true
			})
		case "extra_content":
			u.look(v, v.Get(sealed))
		case "reasoning_details": // one foreign envelope and all of it is left out
			v.ForEach(func(_, item gjson.Result) bool {
				u.look(v, item.Get("signature"))
				u.look(v, item.Get("data"))
				return true
			})
		}
		return true
	})
	u.all = !t.Compatible && len(u.own) == 0 // none of it is the upstream's own
	var w writer
	u.object(&w, m)
	return string(w.b), u.changed
}

// unwrapper changes one message.
type unwrapper struct {
	t       dialect.Target
	own     map[int]string // what envelopes hold for this upstream, by where they are
	foreign map[int]bool   // what holds envelopes of others, by where it is
	all     bool           // all that the API itself does not take back is left out
	changed bool
}

// look notes what an envelope in a member is, if it is one.
func (u *unwrapper) look(holder, text gjson.Result) {
	if _, found := chat.Unwrap(text.Str); !found {
		return
	}
	if u.t.Proof != nil {
		if own, ok := u.t.Proof(text.Str); ok && text.Index > 0 {
			u.own[text.Index] = own
			return
		}
	}
	u.foreign[holder.Index] = true
}

// object writes a message or a call, without what is left out.
func (u *unwrapper) object(w *writer, object gjson.Result) {
	w.open('{')
	object.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "reasoning_content", "reasoning_details", "extra_content":
			if u.all || u.foreign[v.Index] {
				u.changed = true
				return true
			}
		}
		w.comma()
		at := key.Index - object.Index
		from := len(strings.TrimRight(object.Raw[:at], " \t\r\n")) // the blanks before it stay
		w.b = append(append(append(w.b, object.Raw[from:at]...), key.Raw...), ':')
		switch key.Str {
		case "tool_calls":
			u.calls(w, v)
		case "reasoning_details", "extra_content":
			u.opened(w, v)
		default:
			w.raw([]byte(v.Raw))
		}
		return true
	})
	w.close('}')
}

func (u *unwrapper) calls(w *writer, list gjson.Result) {
	if !list.IsArray() {
		w.raw([]byte(list.Raw))
		return
	}
	w.open('[')
	list.ForEach(func(_, call gjson.Result) bool {
		if call.IsObject() {
			u.object(w, call)
		} else {
			w.raw([]byte(call.Raw))
		}
		return true
	})
	w.close(']')
}

// opened writes a value with what its envelopes hold.
func (u *unwrapper) opened(w *writer, v gjson.Result) {
	var edits []edit
	mark := func(text gjson.Result) {
		if own, ok := u.own[text.Index]; ok && text.Index > 0 {
			edits = append(edits, edit{text.Index - v.Index, text.Index - v.Index + len(text.Raw), dialect.AppendText(nil, own)})
		}
	}
	if v.IsArray() {
		v.ForEach(func(_, item gjson.Result) bool {
			mark(item.Get("signature"))
			mark(item.Get("data"))
			return true
		})
	} else {
		mark(v.Get(sealed))
	}
	u.changed = u.changed || len(edits) > 0
	w.raw(apply([]byte(v.Raw), edits))
}

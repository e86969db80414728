package openai

import (
	"bytes"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// PassRequest is the client's own bytes with the model's name of the upstream,
// asking for usage if it is a stream, and without our own inventions: loose
// switches become the API's fields and envelopes what is in them. What an answer's
// part repeats of its message is taken out, and the place of a call in its stream.
func (Codec) PassRequest(req *chat.Request, t dialect.Upstream) (call dialect.Outgoing, err error) {
	call.Path = endpoint
	body, facts := req.Origin.Body, &req.Origin.Facts
	l := lay(jsonscan.Root(body), facts.LongestFrom, facts.LongestTo, t)
	if l.nested {
		if body, err = flatten(body, l.root); err != nil {
			return call, err
		}
		l = lay(jsonscan.Root(body), 0, 0, t)
	}
	var edits jsonscan.Edits
	edits.ReplaceText(l.model, t.Model)
	if l.loose {
		if call.Losses, err = l.respell(&edits, t); err != nil {
			return call, err
		}
	}
	if len(t.Refused) > 0 {
		call.Losses = append(call.Losses, l.leaveRefused(&edits, t.Refused)...)
		call.Losses = append(call.Losses, l.leaveBlanks(&edits, t.Refused)...)
	}
	if l.format.Exists() {
		respellFormat(&edits, l.format, t)
	}
	if req.Stream && (!req.Origin.Usage || includesUsage(l.usage)) && !slices.Contains(t.Refused, dialect.UsageWish) {
		l.askUsage(&edits)
	}
	if facts.Envelopes || facts.Additions && !t.Compatible || t.Forget {
		lost := openEnvelopes(&edits, l.messages, t)
		if t.Forget {
			lost = []chat.Loss{chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of earlier turns, which the provider refused")}
		}
		call.Losses = append(call.Losses, lost...)
	}
	if facts.Repeats {
		call.Losses = append(call.Losses, removeRepeats(&edits, l.messages)...)
	}
	return call, call.Splice(body, &edits)
}

// layout is where a body has what may have to be edited.
type layout struct {
	root, model, messages, options, usage, format jsonscan.Value

	loose  bool // a switch must be rewritten
	nested bool // extra_body or options must be
}

// lay looks for them, around the member of which it is known where it lies. The loop is
// over a method that is known here, so that nothing of it is allocated.
func lay(root jsonscan.Value, knownFrom, knownTo int, t dialect.Upstream) layout {
	l := layout{root: root}
	for key, v := range root.MembersAround(knownFrom, knownTo) {
		switch key.Name {
		case "model":
			l.model = v
		case "messages":
			l.messages = v
		case "stream_options":
			l.options = v
		case usageField:
			l.usage = v
		case "response_format":
			l.format = v
		case chat.Holders[0], chat.Holders[1]:
			l.nested = true
		default:
			l.loose = l.loose || slices.Contains(switchNames, key.Name) && isLooseSwitch(key.Name, v, t)
		}
	}
	return l
}

// flatten puts what extra_body and options hold under the body's own fields. What is Google's
// stays in extra_body, where Google's own server of this dialect looks for it.
func flatten(body []byte, root jsonscan.Value) ([]byte, error) {
	var edits jsonscan.Edits
	for key, v := range root.Members() {
		switch {
		case !slices.Contains(chat.Holders, key.Name):
		case v.Kind() != object && !v.Absent() && !dialect.IsEmptyList(v):
			return nil, fault.WrongValue(key.Name, "an object")
		default:
			edits.Remove(key, v)
		}
	}
	for key, v := range dialect.Nested(root) {
		if key == googleThinking {
			edits.Append(root, chat.Holders[0], slices.Concat([]byte(`{"google":`), v.Raw(), []byte{'}'}))
			continue
		}
		edits.Append(root, key, v.Raw())
	}
	return edits.Apply(body)
}

// usageWish is all that most streams lack.
var usageWish = []byte(`,"stream_options":{"include_usage":true}`)

// askUsage asks a stream for its usage.
func (l *layout) askUsage(edits *jsonscan.Edits) {
	const wish = `"include_usage":true`
	include := l.options.Get("include_usage")
	switch {
	case !l.options.Exists(): // there is a model at least, so that a comma is right
		edits.Splice(l.root.To()-1, l.root.To()-1, usageWish)
	case include.Exists():
		edits.Replace(include, []byte("true"))
	case l.options.Len() == 0:
		edits.Replace(l.options, []byte(`{`+wish+`}`))
	default:
		edits.Splice(l.options.From()+1, l.options.From()+1, []byte(wish+`,`))
	}
}

// isLooseSwitch reports whether a switch is one that the upstream would not take:
// true and false everywhere, all but reasoning_effort at the API's author.
func isLooseSwitch(key string, v jsonscan.Value, t dialect.Upstream) bool {
	if !t.Compatible && key != "reasoning_effort" {
		return !v.Absent()
	}
	_, loose := v.Bool()
	return loose && (key == "reasoning_effort" || key == "reasoning" || key == "thinking")
}

// respell turns all switches into reasoning_effort.
func (l *layout) respell(edits *jsonscan.Edits, t dialect.Upstream) (losses []chat.Loss, err error) {
	think := switches{}
	for key, v := range l.root.Members() {
		if slices.Contains(switchNames, key.Name) {
			think[key.Name] = v
			edits.Remove(key, v)
		}
	}
	thinking, note, err := think.resolve()
	if err != nil {
		return nil, err
	}
	if note != "" {
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Approximated, note))
	}
	var model traits
	if !t.Compatible {
		model = traitsOf(t.Model)
	}
	level, exact := wantedEffort(thinking, model)
	switch thinks := model.reasons || !model.known; {
	case mustRest(t.Refused):
		edits.Append(l.root, "reasoning_effort", []byte(`"none"`))
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Dropped, toolsNote))
	case level == "" || level == "none" && !thinks:
	case slices.Contains(t.Refused, "reasoning_effort"):
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Dropped, refusedNote))
	case !thinks:
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Dropped, "this model does not think"))
	default:
		effort := dialect.NearestEffort(level, model.efforts())
		if !exact || effort != level {
			losses = append(losses, chat.Lost(chat.FieldThinking, chat.Approximated, "effort "+effort))
		}
		edits.Append(l.root, "reasoning_effort", jsonscan.AppendText(nil, effort))
	}
	return losses, nil
}

// Rename puts another model's name into an answer or a frame. What has none
// comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 {
		return raw
	}
	return jsonscan.WithText(raw, jsonscan.Find(raw, start, "model"), model)
}

// PutCost puts what an answer cost into its usage.
func (Codec) PutCost(raw []byte, nano int64) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 {
		return raw
	}
	return dialect.PutCost(raw, jsonscan.Find(raw, start, "usage"), nano)
}

// noUsage is what every chunk of a stream says whose usage was asked for.
var noUsage = []byte(`,"usage":null`)

// DropUnasked takes out the usage that is not there yet: the SDKs of Mistral and OpenRouter refuse
// a null they did not ask for. Inside of a text these bytes cannot be: its quotes are escaped.
func (Codec) DropUnasked(frames []byte) []byte {
	at := bytes.Index(frames, noUsage)
	if at < 0 {
		return frames
	}
	kept, rest := frames[:at], frames[at+len(noUsage):]
	for {
		at := bytes.Index(rest, noUsage)
		if at < 0 {
			return append(kept, rest...)
		}
		kept, rest = append(kept, rest[:at]...), rest[at+len(noUsage):]
	}
}

// NothingToMeter reports whether a run of whole frames ends with plain text: no usage, no end,
// no error. Nothing plain follows those, but for other answers that still go on.
// Every frame has the keys; what counts is whether they are null.
func (Codec) NothingToMeter(frames []byte) bool {
	line, rest, _ := bytes.Cut(wire.Tail(frames, 1), []byte("\n"))
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	return ok && len(bytes.TrimSpace(rest)) == 0 && isPlain(data)
}

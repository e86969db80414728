package openai

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/wire"
)

// Blocks of a stream that is being read, by what belongs together.
const (
	blockText    = 0
	blockRefusal = 1
	blockSound   = 2
	blockPicture = 3       // and up: pictures
	blockDetail  = 1 << 16 // and up: reasoning_details by their index
	blockThought = 1 << 20 // and up: reasoning_content, a new one after each signature
	blockCall    = 1 << 24 // and up: calls in the order they began
)

// NewDecoder begins a stream from one upstream.
func (Codec) NewDecoder(light bool) dialect.Decoder {
	if light {
		return &meterReader{}
	}
	return &decoder{}
}

// decoder reads a stream in full.
type decoder struct {
	started  bool
	ended    bool
	hidden   bool
	refused  bool
	events   []chat.Event
	calls    []liveCall
	pictures int
	thoughts thoughts
	sound    sound
}

// Hidden reports whether the last frame told nothing but usage.
func (d *decoder) Hidden() bool { return d.hidden }

var done = []byte("[DONE]")

// Decode appends what a frame means. A frame that is no JSON is an error: who
// knows what it would have said.
func (d *decoder) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	d.hidden = false
	data := bytes.TrimSpace(frame.Data)
	if len(data) == 0 {
		return events, nil
	}
	d.events = events
	if bytes.Equal(data, done) {
		if !d.ended {
			d.finish("")
		}
		return append(d.events, chat.Event{Kind: chat.Finish, Last: true}), nil
	}
	if !gjson.ValidBytes(data) {
		return events, garbled(data)
	}
	root := gjson.Parse(view(data))
	var choices, usage, failed gjson.Result
	var id, model string
	root.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			id = v.Str
		case "model":
			model = v.Str
		case "choices":
			choices = v
		case "usage":
			usage = v
		case "error":
			failed = v
		case "x_groq":
			if !usage.IsObject() {
				usage = v.Get("usage")
			}
		}
		return true
	})
	if !absent(failed) || len(frame.Event) > 0 || !choices.Exists() {
		if e := frameFailure(root, frame); e != nil {
			return events, e
		}
	}
	if !d.started && choices.IsArray() {
		d.started = true
		d.events = append(d.events, chat.Event{Kind: chat.Start, ID: strings.Clone(id), Model: strings.Clone(model)})
	}
	said := false
	choices.ForEach(func(_, v gjson.Result) bool {
		if !v.IsObject() {
			return true
		}
		said = true
		if !usage.IsObject() {
			usage = v.Get("usage") // one server has it here
		}
		d.choice(v)
		return true
	})
	if u := readUsage(usage); u.Known {
		d.events = append(d.events, chat.Event{Kind: chat.Counted, Usage: u})
		d.hidden = !said
	}
	return d.events, nil
}

// frameFailure is the error that a frame tells, if it does.
func frameFailure(root gjson.Result, frame wire.Frame) *fault.Error {
	if e := failure(root); e != nil {
		return e
	}
	if string(frame.Event) == "error" {
		return garbled(frame.Data)
	}
	return nil
}

// choice reads one of choices. Of several answers only the first can be told as
// it comes.
func (d *decoder) choice(v gjson.Result) {
	var delta, reason gjson.Result
	first := true
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			first = value.Num == 0
		case "delta", "message":
			delta = value
		case "finish_reason":
			reason = value
		}
		return true
	})
	if !first {
		return
	}
	delta.ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.Null {
			d.piece(key.Str, value, delta)
		}
		return true
	})
	if reason.Type == gjson.String && reason.Str != "" {
		d.finish(reason.Str)
	}
}

// piece reads one member of a delta.
func (d *decoder) piece(key string, v, delta gjson.Result) {
	switch key {
	case "content":
		if v.Type == gjson.String {
			d.say(blockText, chat.Part{Kind: chat.Text, Text: v.Str})
			return
		}
		for _, p := range readSaid(v) {
			d.say(blockText, p)
		}
	case "reasoning_content", "reasoning":
		if v.Str != "" && !speaks(delta.Get("reasoning_details")) && (key == "reasoning_content" || !delta.Get("reasoning_content").Exists()) {
			d.think(v.Str)
		}
	case "reasoning_details":
		v.ForEach(func(_, item gjson.Result) bool {
			d.detail(item)
			return true
		})
	case "refusal":
		d.refused = d.refused || v.Str != ""
		d.say(blockRefusal, chat.Part{Kind: chat.Refusal, Text: v.Str})
	case "tool_calls":
		v.ForEach(func(_, call gjson.Result) bool {
			d.call(call)
			return true
		})
	case "function_call":
		d.function(v)
	case "extra_content":
		d.say(blockText, chat.Part{Kind: chat.Text, Proof: signature(v)})
	case "annotations":
		d.say(blockText, chat.Part{Kind: chat.Text, Citations: readCitations(v)})
	case "audio":
		d.sound.take(v)
	case "images":
		for _, p := range readPictures(v) {
			p.At = 0
			d.pictures++
			d.say(min(blockPicture+d.pictures, blockDetail-1), p)
		}
	}
}

// say appends a piece. Its texts are copied: the frame's bytes will change.
func (d *decoder) say(block int, p chat.Part) {
	if p.Text == "" && p.Proof == "" && p.Media == nil && p.Citations == nil {
		return
	}
	p.Text, p.Proof = strings.Clone(p.Text), strings.Clone(p.Proof)
	if p.Media != nil {
		m := *p.Media
		m.URL, m.Base64, m.Type, m.Detail = strings.Clone(m.URL), strings.Clone(m.Base64), strings.Clone(m.Type), strings.Clone(m.Detail)
		p.Media = &m
	}
	for i := range p.Citations {
		p.Citations[i].URL, p.Citations[i].Title = strings.Clone(p.Citations[i].URL), strings.Clone(p.Citations[i].Title)
	}
	d.events = append(d.events, chat.Event{Kind: chat.Delta, Block: block, Part: p})
}

func (d *decoder) finish(word string) {
	if p, ok := d.sound.whole(); ok {
		d.events = append(d.events, chat.Event{Kind: chat.Delta, Block: blockSound, Part: p})
	}
	d.ended = true
	d.events = append(d.events, chat.Event{Kind: chat.Finish, Stop: readFinish(strings.Clone(word), d.refused)})
}

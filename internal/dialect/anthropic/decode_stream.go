package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/wire"
)

// decoder reads one stream from one upstream.
type decoder struct {
	light   bool
	counts  counts
	stop    chat.Stop
	next    int     // number of the next block
	open    []state // blocks that were begun and not ended; the API has one at most
	held    string  // a signature on its way to the part it belongs to
	text    int     // number of the text that was said last, if nothing was after it; else -1
	started bool
}

// state is what has to be remembered of a block until it ends.
type state struct {
	index  int64 // the upstream's number
	number int   // ours: upstreams use theirs twice
	kind   chat.Kind
	words  bool   // thoughts: some came in words
	proof  string // thoughts: the signature so far
	input  string // a call's input, where it came with the beginning
	raw    string // an opaque block's beginning
	json   []byte // and its input since
}

const (
	mostInput = 32 << 20 // bytes of input of a tool that runs at the upstream
	mostOpen  = 64       // blocks that are open at once
)

// NewDecoder begins a stream from one upstream.
func (Codec) NewDecoder(light bool) dialect.Decoder { return &decoder{light: light, text: -1} }

// Hidden is false: nothing is asked for that the client does not see.
func (*decoder) Hidden() bool { return false }

// Decode appends what a frame means.
func (d *decoder) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	if len(frame.Data) == 0 {
		return events, nil
	}
	if d.light && uncounted(frame) {
		return events, nil
	}
	data := string(frame.Data)
	if !gjson.Valid(data) {
		if data == "[DONE]" {
			return events, nil
		}
		return events, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(cause(200, frame.Data))
	}
	root := gjson.Parse(data)
	name := root.Get("type").Str
	if name == "" {
		name = string(frame.Event)
	}
	switch name {
	case "content_block_delta":
		return d.delta(events, root)
	case "content_block_start":
		return d.start(events, root), nil
	case "content_block_stop":
		return d.end(events, root.Get("index").Int()), nil
	case "message_start":
		return d.begin(events, root.Get("message")), nil
	case "message_delta":
		d.counts.add(root.Get("usage"))
		if stop := readStop(root.Get("delta")); stop.Reason != 0 {
			d.stop = stop
		}
		return append(events, chat.Event{Kind: chat.Counted, Usage: d.counts.usage()}), nil
	case "message_stop":
		events = d.settle(events)
		return append(events, chat.Event{Kind: chat.Finish, Stop: d.stop, Usage: d.counts.usage(), Last: true}), nil
	case "error":
		return events, streamError(frame.Data)
	}
	if root.Get("error").IsObject() {
		return events, streamError(frame.Data)
	}
	return events, nil
}

// uncounted reports whether a frame says nothing that metering needs.
func uncounted(frame wire.Frame) bool {
	switch string(frame.Event) {
	case "content_block_delta", "content_block_start", "content_block_stop", "ping":
		return true
	case "":
		return bytes.HasPrefix(frame.Data, []byte(`{"type":"content_block_`))
	}
	return false
}

func (d *decoder) begin(events []chat.Event, message gjson.Result) []chat.Event {
	if d.started {
		return events
	}
	d.started = true
	d.counts.add(message.Get("usage"))
	usage := d.counts.usage()
	usage.Known = false // the end is still to be told
	return append(events, chat.Event{Kind: chat.Start, ID: message.Get("id").Str, Model: message.Get("model").Str, Usage: usage})
}

// find is the block that the upstream gave a number to.
func (d *decoder) find(index int64) *state {
	for i := range d.open {
		if d.open[i].index == index {
			return &d.open[i]
		}
	}
	return nil
}

// start begins a block. What it already holds counts as its first piece.
func (d *decoder) start(events []chat.Event, root gjson.Result) []chat.Event {
	if d.light {
		return events
	}
	index := root.Get("index").Int()
	if d.find(index) != nil {
		events = d.end(events, index)
	} else if len(d.open) >= mostOpen {
		events = d.end(events, d.open[0].index)
	}
	content := root.Get("content_block")
	p, ok := newReading(true).block(content)
	if !ok {
		return events
	}
	s := state{index: index, number: d.next, kind: p.Kind}
	d.next++
	switch p.Kind {
	case chat.Thought:
		events = d.drop(events)
		s.words, s.proof, p.Proof = p.Text != "", p.Proof, ""
		if s.words {
			events = d.emit(events, &s, p)
		}
	case chat.ToolCall:
		s.input, p.Text = p.Text, "" // it counts only if no pieces of it follow
		events = d.emit(events, &s, p)
	case chat.Opaque:
		events = d.drop(events)
		s.raw = string(p.Raw)
	case chat.Text:
		if p.Text != "" || len(p.Citations) > 0 {
			events = d.emit(events, &s, p)
		}
	default:
		events = d.emit(events, &s, p)
	}
	d.open = append(d.open, s)
	return events
}

// emit tells a piece of a block. A signature under way goes with it, if it is the
// first of a text or a call.
func (d *decoder) emit(events []chat.Event, s *state, p chat.Part) []chat.Event {
	if d.held != "" {
		if p.Kind == chat.ToolCall || p.Kind == chat.Text {
			p.Proof, d.held = d.held, ""
		} else {
			events = d.drop(events)
		}
	}
	d.text = -1
	if p.Kind == chat.Text {
		d.text = s.number
	}
	return append(events, chat.Event{Kind: chat.Delta, Block: s.number, Part: p})
}

// drop gives a signature under way to the text before it, or to nobody.
func (d *decoder) drop(events []chat.Event) []chat.Event {
	if d.held == "" {
		return events
	}
	p := chat.Part{Kind: chat.Thought, Proof: d.held}
	block := d.next
	d.held = ""
	if d.text >= 0 {
		p.Kind, block = chat.Text, d.text
		d.text = -1
	} else {
		d.next++
	}
	return append(events, chat.Event{Kind: chat.Delta, Block: block, Part: p})
}

// delta reads a piece of a block.
func (d *decoder) delta(events []chat.Event, root gjson.Result) ([]chat.Event, error) {
	if d.light {
		return events, nil
	}
	delta := root.Get("delta")
	s := d.find(root.Get("index").Int())
	var p chat.Part
	switch delta.Get("type").Str {
	case "text_delta":
		p = chat.Part{Kind: chat.Text, Text: delta.Get("text").Str}
	case "citations_delta":
		p = chat.Part{Kind: chat.Text, Citations: []chat.Citation{citation(delta.Get("citation"))}}
	case "thinking_delta":
		p = chat.Part{Kind: chat.Thought, Text: delta.Get("thinking").Str}
	case "signature_delta":
		if s = d.ensure(s, root, chat.Thought); s.kind == chat.Thought {
			s.proof += delta.Get("signature").Str
		}
		return events, nil
	case "input_json_delta":
		p = chat.Part{Kind: chat.ToolCall, Text: delta.Get("partial_json").Str}
	default:
		return events, nil
	}
	if p.Text == "" && p.Citations == nil {
		return events, nil
	}
	s = d.ensure(s, root, p.Kind)
	if s.kind == chat.Opaque {
		if len(s.json)+len(p.Text) > mostInput {
			return events, fault.New(fault.UpstreamError, "The model's provider sent more than can be taken.")
		}
		s.json = append(s.json, p.Text...)
		return events, nil
	}
	p.Kind, s.input = s.kind, ""
	s.words = true
	return d.emit(events, s, p), nil
}

// ensure is the block of a piece that came without its beginning.
func (d *decoder) ensure(s *state, root gjson.Result, kind chat.Kind) *state {
	if s != nil {
		return s
	}
	if len(d.open) >= mostOpen {
		d.open = d.open[1:] // whoever sends pieces of nothing loses some
	}
	d.open = append(d.open, state{index: root.Get("index").Int(), number: d.next, kind: kind})
	d.next++
	return &d.open[len(d.open)-1]
}

// end tells what had to wait for the end of a block.
func (d *decoder) end(events []chat.Event, index int64) []chat.Event {
	if d.light {
		return events
	}
	for i := range d.open {
		if d.open[i].index == index {
			s := d.open[i]
			d.open = append(d.open[:i], d.open[i+1:]...)
			return d.ended(events, &s)
		}
	}
	return events
}

func (d *decoder) ended(events []chat.Event, s *state) []chat.Event {
	switch s.kind {
	case chat.Thought:
		p := chat.Part{Kind: chat.Thought, Proof: signed(s.proof)}
		if !s.words && carrier(&p) {
			d.held = p.Proof
		} else if p.Proof != "" {
			events = d.emit(events, s, p)
		}
	case chat.ToolCall:
		if s.input != "" {
			events = d.emit(events, s, chat.Part{Kind: chat.ToolCall, Text: s.input})
		}
		events = append(events, chat.Event{Kind: chat.Close, Block: s.number})
	case chat.Opaque:
		raw := s.raw
		if len(s.json) > 0 {
			input, _ := dialect.Arguments(string(s.json))
			raw, _ = sjson.SetRaw(raw, "input", string(input))
		}
		kind := gjson.Get(raw, "type").Str
		p := chat.Part{Kind: chat.Opaque, Name: prefix + kind, Text: words(kind, gjson.Parse(raw)), Raw: json.RawMessage(raw)}
		events = d.emit(events, s, p)
	}
	return events
}

// settle ends the blocks that nobody ended.
func (d *decoder) settle(events []chat.Event) []chat.Event {
	for len(d.open) > 0 {
		events = d.end(events, d.open[0].index)
	}
	return d.drop(events)
}

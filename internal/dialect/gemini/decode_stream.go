package gemini

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// NewDecoder begins a stream from one upstream.
func (Codec) NewDecoder(light bool) dialect.Decoder { return &decoder{light: light} }

// decoder reads one stream. Its frames are whole answers of which each says only
// what is new.
type decoder struct {
	light   bool
	w       wireChunk // kept, so that its lists are made once
	started bool
	useful  bool // there is something to show
	block   int
	last    chat.Kind
	usage   chat.Usage
	ids     set
	said    []byte // the last text, as far as citations may point into it
}

// mostSaid bounds what is kept of a text for its citations.
const mostSaid = 64 << 10

// Hidden is never true: nothing is asked for that the client did not.
func (d *decoder) Hidden() bool { return false }

// Decode reads one frame.
func (d *decoder) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	if len(frame.Data) == 0 || bytes.Equal(frame.Data, done) {
		return events, nil
	}
	if d.light {
		return d.meter(events, frame.Data)
	}
	return d.frame(events, frame.Data)
}

// done is what some imitations of this API end with.
var done = []byte("[DONE]")

// frame reads a frame, or a list of them.
func (d *decoder) frame(events []chat.Event, data []byte) ([]chat.Event, error) {
	c := cursor{b: data}
	list := c.enter('[')
	for !list || c.item() {
		d.w = wireChunk{known: d.started, candidates: d.w.candidates[:0]}
		if !c.chunk(&d.w) {
			return events, unreadable(data)
		}
		if d.w.failure != nil {
			return events, failed(data)
		}
		var err error
		if events, err = d.chunk(events); err != nil || !list {
			return events, err
		}
	}
	if c.bad {
		return events, unreadable(data)
	}
	return events, nil
}

// chunk says what a frame means.
func (d *decoder) chunk(events []chat.Event) ([]chat.Event, error) {
	w := &d.w
	if !d.started {
		d.started = true
		events = append(events, chat.Event{Kind: chat.Start, ID: w.id, Model: w.model})
	}
	usage := w.usage.common()
	if w.usage.known {
		d.usage = usage
	}
	for i := range w.candidates {
		if candidate := &w.candidates[i]; candidate.index == 0 {
			return d.candidate(events, candidate)
		}
	}
	if w.blocked != "" {
		return append(events, chat.Event{Kind: chat.Finish, Stop: w.block(), Usage: d.usage}), nil
	}
	if w.usage.known {
		events = append(events, chat.Event{Kind: chat.Counted, Usage: usage})
	}
	return events, nil
}

func (d *decoder) candidate(events []chat.Event, w *wireCandidate) ([]chat.Event, error) {
	for i := range w.parts {
		if p, ok := w.parts[i].answered(); ok {
			events = d.part(events, &p)
		}
	}
	if len(w.citations) > 0 {
		p := chat.Part{Kind: chat.Text, Citations: cited(w.citations, d.said)}
		events = append(events, chat.Event{Kind: chat.Delta, Block: d.block, Part: p})
	}
	if w.finish == "" {
		if d.w.usage.known {
			events = append(events, chat.Event{Kind: chat.Counted, Usage: d.usage})
		}
		return events, nil
	}
	stop, err := w.stop(d.useful)
	if err != nil {
		return events, err
	}
	return append(events, chat.Event{Kind: chat.Finish, Stop: stop, Usage: d.usage}), nil
}

// part says what a part adds. Text goes on where it is the same kind as before
// and that was not signed; everything else is a block of its own.
func (d *decoder) part(events []chat.Event, p *chat.Part) []chat.Event {
	d.useful = d.useful || usable(p)
	if p.Kind != d.last || p.Kind != chat.Text && p.Kind != chat.Thought {
		d.block++
		d.said = d.said[:0]
	}
	d.last = p.Kind
	if p.Kind == chat.Text && len(d.said) < mostSaid {
		d.said = append(d.said, p.Text...)
	}
	if p.Kind == chat.ToolCall {
		p.ID = distinct(p.ID, &d.ids)
	}
	events = append(events, chat.Event{Kind: chat.Delta, Block: d.block, Part: *p})
	if p.Proof != "" || p.Kind != chat.Text && p.Kind != chat.Thought {
		events = append(events, chat.Event{Kind: chat.Close, Block: d.block, Part: chat.Part{Kind: p.Kind}})
		d.last = 0
	}
	return events
}

// meter reads a frame only as far as metering needs: its usage, and all of it
// where it may hold an end.
func (d *decoder) meter(events []chat.Event, data []byte) ([]chat.Event, error) {
	c := cursor{b: data}
	if !c.enter('{') {
		return d.ending(events, data)
	}
	for {
		key, more := c.key()
		if !more {
			return events, nil
		}
		switch string(key) {
		case "candidates":
			if bytes.Contains(c.raw(), finishing) {
				return d.ending(events, data)
			}
		case "promptFeedback", "error":
			return d.ending(events, data)
		case "usageMetadata":
			usage := c.usage().common()
			if usage != d.usage && usage.Known {
				d.usage = usage
				events = append(events, chat.Event{Kind: chat.Counted, Usage: usage})
			}
		default:
			c.skip()
		}
	}
}

// finishing is in finishReason, however it is spelled.
var finishing = []byte(`"finish`)

// ending reads a frame that may hold an end.
func (d *decoder) ending(events []chat.Event, data []byte) ([]chat.Event, error) {
	d.w = wireChunk{known: true, candidates: d.w.candidates[:0]}
	c := cursor{b: data}
	c.enter('[') // a list of frames, or of an error
	if !c.chunk(&d.w) {
		return events, nil // the client gets it as it is
	}
	if d.w.failure != nil {
		return events, failed(data)
	}
	if d.w.usage.known {
		d.usage = d.w.usage.common()
	}
	for i := range d.w.candidates {
		if w := &d.w.candidates[i]; w.finish != "" && w.index == 0 {
			stop, _ := w.stop(true)
			return append(events, chat.Event{Kind: chat.Finish, Stop: stop, Usage: d.usage}), nil
		}
	}
	if d.w.blocked != "" && len(d.w.candidates) == 0 {
		return append(events, chat.Event{Kind: chat.Finish, Stop: d.w.block(), Usage: d.usage}), nil
	}
	if d.usage.Known {
		events = append(events, chat.Event{Kind: chat.Counted, Usage: d.usage})
	}
	return events, nil
}

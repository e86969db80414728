package anthropic

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// streamReader reads one stream from one upstream.
type streamReader struct {
	light   bool
	counts  counts
	stop    chat.Stop
	next    int     // number of the next block
	open    []state // blocks that were begun and not ended; the API has one at most
	kept    int     // bytes that came of them and are not told yet
	held    string  // a signature on its way to the part it belongs to
	text    int     // number of the text that was said last, if nothing was after it; else -1
	started bool
	useful  bool // there is something to show
	others  dialect.Others
}

// state is what has to be remembered of a block until it ends.
type state struct {
	index  int64 // the upstream's number
	number int   // ours: upstreams use theirs twice
	kind   chat.Kind
	words  bool              // some of it was told
	cited  bool              // so was a source
	proof  []byte            // thoughts: the signature so far
	signed bool              // of which a piece came
	input  string            // a call's input, where it came with the beginning
	raw    []byte            // an opaque block's beginning
	rest   []byte            // what else the beginning of a text or a thought says, until a piece of it is told
	json   []byte            // and its input since
	pieces dialect.Snapshots // of an input
}

const (
	mostKept = 32 << 20 // bytes of open blocks: inputs of tools that run at the upstream, signatures
	mostOpen = 64       // blocks that are open at once
)

// NewDecoder begins a stream from one upstream.
func (Codec) NewDecoder(light bool) dialect.Decoder { return &streamReader{light: light, text: -1} }

// Hidden is false: nothing is asked for that the client does not see.
func (*streamReader) Hidden() bool { return false }

// Decode appends what a frame means.
func (d *streamReader) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	if len(frame.Data) == 0 {
		return events, nil
	}
	if d.light && isUncounted(frame) {
		return events, nil
	}
	root, err := jsonscan.Parse(frame.Data, jsonscan.Lenient)
	if err != nil {
		if string(frame.Data) == "[DONE]" {
			return events, nil
		}
		return events, dialect.Unreadable(frame.Data)
	}
	name := root.Get("type").View()
	if name == "" {
		name = string(frame.Event)
	}
	switch name {
	case "content_block_delta":
		return d.readDelta(events, root)
	case "content_block_start":
		return d.start(events, root), nil
	case "content_block_stop":
		return d.end(d.takeRest(events, root), d.indexOf(root)), nil
	case "message_start":
		return d.begin(events, root.Get("message")), nil
	case "message_delta":
		d.seeEnd(root)
		d.count(root.Get("usage"))
		if stop := readStop(root.Get("delta")); d.hasFailed(stop) {
			return events, chat.BrokenError(dialect.Cause(0, frame.Data))
		} else if stop.Reason != 0 {
			d.stop = stop
		}
		return append(events, chat.Event{Kind: chat.Counted, Usage: d.counts.usage()}), nil
	case "message_stop":
		d.count(root.Get("usage")) // LiteLLM puts there what Bedrock tells last
		events = d.settle(events)
		notes := d.others.TakeLosses()
		if d.stop.Reason == 0 && !d.light {
			notes = append(notes, dialect.LossOfEnd())
		}
		return append(events, chat.Event{Kind: chat.Finish, Stop: d.stop, Usage: d.counts.usage(), Last: true, Notes: notes}), nil
	case "ping":
		return events, nil
	}
	if name == "error" || root.Get("error").Kind() == jsonscan.Object {
		return events, readFailure(frame.Data)
	}
	d.others.Learn(name)
	return events, nil
}

// count takes over what a usage tells.
func (d *streamReader) count(usage jsonscan.Value) {
	d.counts.add(usage)
	if !d.light {
		countOthers(&d.others, usage)
	}
}

// seeEnd learns of what the end of a message has beside what is known.
func (d *streamReader) seeEnd(root jsonscan.Value) {
	for key, v := range root.Members() {
		if key.Name != "delta" {
			seeBeside(&d.others, key.Name, v)
			continue
		}
		for key, v := range v.Members() {
			seeBeside(&d.others, key.Name, v)
		}
	}
}

// isUncounted reports whether a frame says nothing that metering needs.
func isUncounted(frame wire.Frame) bool {
	switch string(frame.Event) {
	case "content_block_delta", "content_block_start", "content_block_stop", "ping":
		return true
	case "":
		return bytes.HasPrefix(frame.Data, []byte(`{"type":"content_block_`))
	}
	return false
}

func (d *streamReader) begin(events []chat.Event, message jsonscan.Value) []chat.Event {
	if d.started {
		return events
	}
	d.started = true
	for key, v := range message.Members() {
		seeBeside(&d.others, key.Name, v)
	}
	d.others.See("message_start.content", message.Get("content"))
	d.count(message.Get("usage"))
	d.counts.told = false // the end is still to be told: some servers count nothing there
	usage := d.counts.usage()
	tier := cloneText(message.Get("usage", "service_tier"))
	return append(events, chat.Event{Kind: chat.Start, ID: cloneText(message.Get("id")), Model: cloneText(message.Get("model")), Tier: tier, Usage: usage})
}

// indexOf is the upstream's number of a block. Gateways leave it out of what belongs to the one that was begun last.
func (d *streamReader) indexOf(root jsonscan.Value) int64 {
	n, told := root.Get("index").Int()
	if last := len(d.open) - 1; !told && last >= 0 {
		return d.open[last].index
	}
	return n
}

// find is the block that the upstream gave a number to.
func (d *streamReader) find(index int64) *state {
	for i := range d.open {
		if d.open[i].index == index {
			return &d.open[i]
		}
	}
	return nil
}

// start begins a block. What it already holds counts as its first piece.
func (d *streamReader) start(events []chat.Event, root jsonscan.Value) []chat.Event {
	if d.light {
		return events
	}
	at := d.indexOf(root)
	if d.find(at) != nil {
		events = d.end(events, at)
	} else if len(d.open) >= mostOpen {
		events = d.end(events, d.open[0].index)
	}
	content := bytes.Clone(root.Get("content_block").Raw()) // what is read of it is kept
	p, ok := newReader(true).readBlock(jsonscan.At(content, 0))
	if !ok {
		return events
	}
	s := state{index: at, number: d.next, kind: p.Kind}
	d.next++
	if p.Kind == chat.Text || p.Kind == chat.Thought {
		s.rest, p.Raw = p.Raw, nil
	}
	switch p.Kind {
	case chat.Thought:
		events = d.drop(events)
		s.words, s.proof, p.Proof = p.Text != "", []byte(p.Proof), ""
		if s.words {
			events = d.emit(events, &s, p)
		}
	case chat.ToolCall:
		s.input, p.Text = p.Text, "" // it counts only if no pieces of it follow
		events = d.emit(events, &s, p)
	case chat.Opaque:
		events = d.drop(events)
		s.raw = p.Raw
	case chat.Text:
		if s.words, s.cited = p.Text != "", len(p.Citations) > 0; s.words || s.cited {
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
func (d *streamReader) emit(events []chat.Event, s *state, p chat.Part) []chat.Event {
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
	d.useful = d.useful || p.Kind != chat.Thought
	if s.rest != nil {
		p.Raw, s.rest = s.rest, nil
	}
	return append(events, chat.Event{Kind: chat.Delta, Block: s.number, Part: p})
}

// drop gives a signature under way to the text before it, or lets it stand alone.
func (d *streamReader) drop(events []chat.Event) []chat.Event {
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

// readDelta reads a piece of a block.
func (d *streamReader) readDelta(events []chat.Event, root jsonscan.Value) ([]chat.Event, error) {
	if d.light {
		return events, nil
	}
	delta := root.Get("delta")
	s := d.find(d.indexOf(root))
	var p chat.Part
	switch delta.Get("type").View() {
	case "text_delta":
		p = chat.Part{Kind: chat.Text, Text: cloneText(delta.Get("text"))}
	case "citations_delta":
		source := bytes.Clone(delta.Get("citation").Raw())
		p = chat.Part{Kind: chat.Text, Citations: []chat.Citation{readCitation(jsonscan.At(source, 0))}}
	case "thinking_delta":
		p = chat.Part{Kind: chat.Thought, Text: cloneText(delta.Get("thinking"))}
	case "signature_delta":
		return events, d.sign(d.ensure(s, root, chat.Thought), delta.Get("signature"))
	case "input_json_delta":
		p = chat.Part{Kind: chat.ToolCall, Text: pieceOf(delta.Get("partial_json"))}
	default:
		if s == nil || s.kind != chat.Opaque { // of which is told that it was lost
			d.others.Learn(delta.Get("type").View())
		}
		return events, nil
	}
	if p.Text == "" && p.Citations == nil {
		return events, nil
	}
	if s != nil && p.Kind != chat.ToolCall && s.kind != p.Kind && s.kind != chat.Opaque {
		events, s = d.end(events, s.index), nil // words among thoughts, or the reverse: a piece says itself what it is
	}
	s = d.ensure(s, root, p.Kind)
	switch s.kind {
	case chat.Opaque:
		text := s.pieces.News(p.Text)
		s.json = append(s.json, text...)
		return events, d.keep(len(text))
	case chat.ToolCall:
		if strings.TrimSpace(p.Text) == "{}" && !s.words {
			s.input = "{}" // some servers begin with none at all, and tell the true ones then
			return events, nil
		}
		if p.Text = s.pieces.News(p.Text); p.Text == "" {
			s.input = ""
			return events, nil
		}
	}
	p.Kind, s.input = s.kind, ""
	s.words, s.cited = s.words || p.Text != "", s.cited || p.Citations != nil
	return d.emit(events, s, p), d.sign(s, delta.Get("signature"))
}

// keep notes that n bytes more are kept until a block ends, and refuses what is too much.
func (d *streamReader) keep(n int) error {
	if d.kept += n; d.kept > mostKept {
		return chat.TooMuchError()
	}
	return nil
}

// ensure is the block of a piece that came without its beginning.
func (d *streamReader) ensure(s *state, root jsonscan.Value, kind chat.Kind) *state {
	if s != nil {
		return s
	}
	if len(d.open) >= mostOpen {
		d.open = d.open[1:] // who sends pieces of nothing loses some
	}
	d.open = append(d.open, state{index: d.indexOf(root), number: d.next, kind: kind})
	d.next++
	return &d.open[len(d.open)-1]
}

// end tells what had to wait for the end of a block.
func (d *streamReader) end(events []chat.Event, index int64) []chat.Event {
	if d.light {
		return events
	}
	i := slices.IndexFunc(d.open, func(s state) bool { return s.index == index })
	if i < 0 {
		return events
	}
	s := d.open[i]
	d.kept -= len(s.json) + len(s.proof)
	d.open = slices.Delete(d.open, i, i+1)
	return d.closeBlock(events, &s)
}

func (d *streamReader) closeBlock(events []chat.Event, s *state) []chat.Event {
	switch s.kind {
	case chat.Thought:
		p := chat.Part{Kind: chat.Thought, Proof: ownSignature(string(s.proof))}
		if !s.words && isCarrier(&p) {
			d.held = p.Proof
		} else if p.Proof != "" {
			events = d.emit(events, s, p)
		}
	case chat.ToolCall:
		if text := cmp.Or(s.input, s.pieces.Rest()); text != "" {
			events = d.emit(events, s, chat.Part{Kind: chat.ToolCall, Text: text})
		}
		events = append(events, chat.Event{Kind: chat.Close, Block: s.number})
	case chat.Opaque:
		s.json = append(s.json, s.pieces.Rest()...)
		raw := jsonscan.At(s.withInput(), 0)
		kind := raw.Get("type").View()
		p := chat.Part{Kind: chat.Opaque, Name: prefix + kind, Text: blockWords(kind, raw), Raw: raw.Raw()}
		events = d.emit(events, s, p)
	}
	return events
}

// withInput is an opaque block with the input that came after its beginning.
func (s *state) withInput() []byte {
	if len(s.json) == 0 {
		return s.raw
	}
	input, _ := dialect.Arguments(string(s.json))
	root := jsonscan.At(s.raw, 0)
	var e jsonscan.Edits
	if v := root.Get("input"); v.Exists() {
		e.Replace(v, input)
	} else {
		e.Append(root, "input", input)
	}
	raw, _ := e.Apply(s.raw)
	return raw
}

// settle ends the blocks that the upstream did not end.
func (d *streamReader) settle(events []chat.Event) []chat.Event {
	for len(d.open) > 0 {
		events = d.end(events, d.open[0].index)
	}
	return d.drop(events)
}

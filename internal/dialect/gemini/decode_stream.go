package gemini

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// NewDecoder begins a stream from one upstream.
func (Codec) NewDecoder(light bool) dialect.Decoder { return &streamReader{light: light} }

// streamReader reads one stream. Its frames are whole answers of which each says only
// what is new.
type streamReader struct {
	light   bool
	w       wireChunk // kept, so that its lists are made once
	started bool
	useful  bool // there is something to show
	block   int
	last    chat.Kind
	usage   chat.Usage
	asked   searches
	ids     map[string]bool
	calls   map[string]toldCall // those that have an id, by it
	seed    maphash.Seed        // of their sums
	chunks  int
	pieces  gathering
	cited   map[string]bool // sources that were told of
	said    []byte          // all text, as far as citations may point into it
}

// toldCall is a call that a chunk told.
type toldCall struct {
	chunk int
	sum   uint64 // of its name and arguments
}

// mostSaid bounds what is kept of a text for its citations.
const mostSaid = 256 << 10

// Hidden is never true: nothing is asked for that the client did not.
func (r *streamReader) Hidden() bool { return false }

// Decode reads one frame.
func (r *streamReader) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	if len(frame.Data) == 0 || bytes.Equal(frame.Data, done) {
		return events, nil
	}
	if r.light {
		return r.readForMeter(events, frame.Data)
	}
	return r.readFrame(events, frame.Data)
}

// done is what some imitations of this API end with.
var done = []byte("[DONE]")

// readFrame reads a frame, or a list of them.
func (r *streamReader) readFrame(events []chat.Event, data []byte) ([]chat.Event, error) {
	r.w.reset(r.started)
	root, err := r.w.read(data)
	switch {
	case err != nil:
		return events, err
	case root.Kind() == jsonscan.Object:
		return r.readChunk(events, data)
	}
	for _, v := range root.Elements() {
		if v.Kind() != jsonscan.Object {
			return events, dialect.Unreadable(data)
		}
		r.w.reset(r.started)
		for key, v := range v.Members() {
			r.w.readMember(key, v)
		}
		if events, err = r.readChunk(events, data); err != nil {
			return events, err
		}
	}
	return events, nil
}

// readChunk says what a frame means.
func (r *streamReader) readChunk(events []chat.Event, data []byte) ([]chat.Event, error) {
	w := &r.w
	if w.failed {
		return events, readFailure(data)
	}
	if !r.started && (len(w.candidates) > 0 || w.blocked != "") { // there may be usage before there is an answer, or an error after it
		r.started = true
		events = append(events, chat.Event{Kind: chat.Start, ID: w.id, Model: w.model, Tier: w.usage.Tier, Turn: chat.NewCallID()})
	}
	r.count()
	r.chunks++
	for i := range w.candidates {
		if w.candidates[i].index != 0 { // one was asked for
			w.others.Learn("answers that were not asked for")
		}
	}
	for i := range w.candidates {
		if candidate := &w.candidates[i]; candidate.index == 0 {
			w.addBlock(candidate)
			return r.readCandidate(events, candidate)
		}
	}
	if w.blocked != "" {
		return append(events, chat.Event{Kind: chat.Finish, Stop: w.readBlock(), Usage: r.usage, Notes: w.others.TakeLosses()}), nil
	}
	if w.usage.Known && r.started {
		events = append(events, chat.Event{Kind: chat.Counted, Usage: r.usage, Notes: w.others.TakeLosses()})
	}
	return events, nil
}

// count takes over what a frame counts. What an earlier one counted and this one does not tell
// stays as it was: no counter goes back.
func (r *streamReader) count() {
	if r.w.usage.Known {
		r.usage = r.w.usage.After(r.usage)
	}
	if r.w.model != "" {
		r.asked.of(r.w.model)
	}
	for i := range r.w.candidates {
		r.asked.see(r.w.candidates[i].queries)
	}
	r.usage.Searches = r.asked.paid()
}

func (r *streamReader) readCandidate(events []chat.Event, w *wireCandidate) ([]chat.Event, error) {
	for i := range w.parts {
		if r.pieces.concerns(&w.parts[i]) {
			for _, p := range r.pieces.take(&w.parts[i]) {
				events = r.tellPart(events, &p)
			}
		} else if p, ok := w.parts[i].readReplyPart(); ok {
			events = r.tellPart(events, &p)
		}
	}
	if r.pieces.open && w.finish != "" && reasons[w.finish] != chat.Failed { // which is a call that could not be written
		p := r.pieces.end(!w.cutsOffCalls())
		events = r.tellPart(events, &p)
	}
	if likely := openLogprobs(w.logprobs); likely != nil {
		p := chat.Part{Kind: chat.Text, Logprobs: likely}
		if n := len(events) - 1; n >= 0 && events[n].Kind == chat.Delta && events[n].Part.Kind == chat.Text {
			events[n].Part.Logprobs = likely
		} else if r.last == chat.Text {
			events = append(events, chat.Event{Kind: chat.Delta, Block: r.block, Part: p})
		}
	}
	w.citations = slices.DeleteFunc(w.citations, r.repeats)
	if len(w.citations) > 0 {
		p := chat.Part{Kind: chat.Text, Citations: toCitations(w.citations, r.said)}
		events = append(events, chat.Event{Kind: chat.Delta, Block: r.block, Part: p})
	}
	if w.finish == "" || w.finish == unfinished && !r.useful {
		if r.w.usage.Known {
			events = append(events, chat.Event{Kind: chat.Counted, Usage: r.usage})
		}
		return events, nil
	}
	stop, err := w.stop(r.useful)
	if err != nil {
		return events, err
	}
	return append(events, chat.Event{Kind: chat.Finish, Stop: stop, Usage: r.usage, Notes: r.w.others.TakeLosses()}), nil
}

// repeats reports whether a source was told of in a frame before: some tell all in each.
func (r *streamReader) repeats(s wireCitation) bool {
	const most = 1 << 12
	if r.cited == nil {
		r.cited = make(map[string]bool)
	}
	key := fmt.Sprintf("%d %d %s %s", s.start, s.end, s.uri, s.quote)
	again := r.cited[key]
	if len(r.cited) < most {
		r.cited[key] = true
	}
	return again
}

// tellPart says what a part adds. Text goes on where it is the same kind as before
// and that was not signed; everything else is a block of its own.
func (r *streamReader) tellPart(events []chat.Event, p *chat.Part) []chat.Event {
	if p.Kind == chat.ToolCall && r.toldBefore(p) {
		return events
	}
	r.useful = r.useful || isUsable(p)
	if p.Kind != r.last || p.Kind != chat.Text && p.Kind != chat.Thought {
		r.block++
	}
	r.last = p.Kind
	if p.Kind == chat.Text && len(r.said) < mostSaid {
		r.said = append(r.said, p.Text...)
	}
	if p.Kind == chat.ToolCall {
		if r.ids == nil {
			r.ids = make(map[string]bool)
		}
		p.ID = makeDistinct(p.ID, r.ids)
	}
	events = append(events, chat.Event{Kind: chat.Delta, Block: r.block, Part: *p})
	if p.Proof != "" || p.Kind != chat.Text && p.Kind != chat.Thought {
		events = append(events, chat.Event{Kind: chat.Close, Block: r.block, Part: chat.Part{Kind: p.Kind}})
		r.last = 0
	}
	return events
}

// toldBefore reports whether a chunk before this one told the same call under the same id: proxies send a chunk again. An id that is
// the tool's name is no call's own.
func (r *streamReader) toldBefore(p *chat.Part) bool {
	if p.ID == "" || p.ID == p.Name {
		return false
	}
	if r.calls == nil {
		r.calls, r.seed = make(map[string]toldCall), maphash.MakeSeed()
	}
	sum := maphash.String(r.seed, p.Text) ^ maphash.String(r.seed, p.Name)
	if c, told := r.calls[p.ID]; told {
		return c.chunk < r.chunks && c.sum == sum
	}
	r.calls[strings.Clone(p.ID)] = toldCall{r.chunks, sum}
	return false
}

// readForMeter reads a frame only as far as metering needs: its usage, and all of it
// where it may hold an end.
func (r *streamReader) readForMeter(events []chat.Event, data []byte) ([]chat.Event, error) {
	root := jsonscan.Root(data)
	if root.Kind() != jsonscan.Object {
		return r.readEnd(events, data)
	}
	for key, v := range fields(root) {
		switch key.name {
		case "candidates":
			if bytes.Contains(v.Raw(), finishing) || bytes.Contains(v.Raw(), searching) {
				return r.readEnd(events, data)
			}
		case "promptFeedback", "error":
			return r.readEnd(events, data)
		case "usageMetadata":
			if usage := readUsage(v); usage != r.usage && usage.Known {
				r.usage = usage.After(r.usage)
				events = append(events, chat.Event{Kind: chat.Counted, Usage: r.usage})
			}
		}
	}
	return events, nil
}

// finishing is in finishReason, however it is spelled.
var finishing = []byte(`"finish`)

// readEnd reads a frame that may hold an end, or what was searched for.
func (r *streamReader) readEnd(events []chat.Event, data []byte) ([]chat.Event, error) {
	r.w.reset(false)
	root, err := r.w.read(data)
	if err != nil {
		return events, nil //nolint:nilerr // the client gets it as it is
	}
	for key, v := range root.Index(0).Members() { // of a list of frames, or of an error
		r.w.readMember(key, v)
	}
	if r.w.failed {
		return events, readFailure(data)
	}
	r.count()
	for i := range r.w.candidates {
		if w := &r.w.candidates[i]; w.finish != "" && w.index == 0 {
			stop, _ := w.stop(true)
			return append(events, chat.Event{Kind: chat.Finish, Stop: stop, Usage: r.usage}), nil
		}
	}
	if r.w.blocked != "" && len(r.w.candidates) == 0 {
		return append(events, chat.Event{Kind: chat.Finish, Stop: r.w.readBlock(), Usage: r.usage}), nil
	}
	if r.usage.Known {
		events = append(events, chat.Event{Kind: chat.Counted, Usage: r.usage})
	}
	return events, nil
}

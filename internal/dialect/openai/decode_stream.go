package openai

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
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
	d := &streamReader{light: light}
	d.turnTo(0)
	return d
}

// streamReader reads a stream.
type streamReader struct {
	*choice // the one that is being read

	light   bool // it passes through: only usage, ends and errors are read
	started bool
	hidden  bool
	broken  *fault.Error // why the upstream ended an answer, if it failed
	events  []chat.Event
	usage   chat.Usage // that was told so far
	choices []*choice  // all that there are

	words jsonscan.Value    // of the frame, if its delta has nothing else
	usual jsonscan.Template // a frame that brought words and nothing else
	spoke int               // the answer that they were for

	results, citations []byte // as the last frame had them
	others             dialect.Others
}

// choice is what has to be remembered of one of the answers.
type choice struct {
	answer   int
	ended    bool
	refused  bool
	useful   bool   // there is something to show
	byDelta  bool   // it is told in deltas
	matched  string // the stop sequence at which it ended
	stop     chat.Stop
	calls    []liveCall
	behind   int            // bytes that came behind their arguments
	indexed  map[int64]int  // the last call under each of the upstream's numbers
	known    map[string]int // and under each id
	pictures int
	cited    []string // the addresses of what it cites
	thoughts thoughts
	sound    sound
}

// mostChoices bounds the answers that are read of one stream.
const mostChoices = 128

// turnTo makes an answer the one that is being read.
func (d *streamReader) turnTo(answer int) {
	for _, d.choice = range d.choices {
		if d.answer == answer {
			return
		}
	}
	d.choice = &choice{answer: answer}
	d.choices = append(d.choices, d.choice)
}

// Hidden reports whether the last frame told nothing but usage.
func (d *streamReader) Hidden() bool { return d.hidden }

// KeptBytes is what was gathered of the sounds of all answers.
func (d *streamReader) KeptBytes() (bytes int64) {
	for _, c := range d.choices {
		bytes += c.sound.size()
	}
	return bytes
}

var done = []byte("[DONE]")

// Decode appends what a frame means. A frame that is no JSON is an error: who
// knows what it would have said.
func (d *streamReader) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	d.hidden = false
	data := bytes.TrimSpace(frame.Data)
	if len(data) == 0 {
		return events, nil
	}
	d.events = events
	if bytes.Equal(data, done) {
		if !d.started && !d.light {
			return events, nil // a last word without a first is no answer
		}
		return d.over(), nil
	}
	if d.light && len(frame.Event) == 0 && isPlain(data) {
		return events, nil
	}
	if text, ok := d.usual.First(data); ok && len(frame.Event) == 0 {
		d.turnTo(d.spoke)
		d.say(blockText, chat.Part{Kind: chat.Text, Text: string(text)})
		return d.events, nil
	}
	r, err := d.open(data)
	if err != nil {
		return events, err
	}
	if !r.failed.Absent() || len(frame.Event) > 0 || r.choices.Absent() {
		if e := readFrameFailure(data, frame); e != nil {
			return events, e
		}
	}
	if !d.started && !d.light && (r.hasChoice() || r.choices.Kind() == array && r.tieredUsage().Known) { // not Azure's word on the prompt, which may still be refused
		d.begin(&r)
	}
	d.keepSources(&r)
	said := 0
	for _, v := range r.choices.Elements() {
		if v.Kind() == object {
			said++
			d.read(v, &r)
		}
		if d.broken != nil {
			return events, d.broken
		}
	}
	if u := r.tieredUsage(); u.Known {
		d.usage = u.After(d.usage)
		d.events = append(d.events, chat.Event{Kind: chat.Counted, Usage: d.usage})
		d.hidden = said == 0
	}
	if said == 1 && len(d.events) == len(events)+1 {
		d.learn(data, &r)
	}
	return d.events, nil
}

// over is the end of all answers, by the last word. One that did not say why it ended has ended as usual.
func (d *streamReader) over() []chat.Event {
	var unsaid []chat.Loss
	for _, d.choice = range d.choices {
		if !d.ended && !d.light {
			d.finish("")
			unsaid = []chat.Loss{dialect.LossOfEnd()}
		}
	}
	return append(d.events, chat.Event{Kind: chat.Finish, Last: true, Notes: append(unsaid, d.others.TakeLosses()...)})
}

// begin tells what the first frame says of the whole answer.
func (d *streamReader) begin(r *reply) {
	d.started = true
	tier := strings.Clone(r.tier.View())
	d.usage.Tier = chat.ServiceTier(tier)
	d.events = append(d.events, chat.Event{Kind: chat.Start, ID: strings.Clone(r.id.View()), Model: strings.Clone(r.model.View()), Tier: tier, Usage: d.usage})
}

// learn notes how a frame looks that told one thing, if that is words: most that follow
// look the same.
func (d *streamReader) learn(data []byte, r *reply) {
	e := &d.events[len(d.events)-1]
	if e.Kind != chat.Delta || e.Part.Logprobs != nil || d.words.Kind() != jsonscan.String || d.words.View() != e.Part.Text {
		return
	}
	d.spoke = d.answer
	if r.padding.Kind() == jsonscan.String && r.padding.From() > d.words.From() {
		d.usual.Learn(data, d.words, r.padding)
	} else {
		d.usual.Learn(data, d.words)
	}
}

// open finds a frame's members. One that passes through is not checked: who reads
// it will.
func (d *streamReader) open(data []byte) (r reply, err error) {
	if d.light {
		return readReply(jsonscan.At(data, 0)), nil
	}
	r.others = &d.others
	if _, err := (jsonscan.Scan{Allow: jsonscan.Lenient}).Walk(data, r.put); err != nil {
		return r, dialect.Unreadable(data)
	}
	return r, nil
}

// isPlain reports whether a frame is part of an answer that tells no usage, no end and
// no error. Nearly all are, and are told by the names before their colons. A name
// cannot be mistaken for one inside a string: there its quotes are escaped.
func isPlain(data []byte) bool {
	choices := false
	for {
		i := bytes.IndexByte(data, ':')
		if i < 0 {
			return choices
		}
		name, value := data[:i], data[i+1:]
		switch {
		case i > 0 && name[i-1] <= ' ':
			return false // the name is somewhere before
		case hasSuffix(name, `usage"`), hasSuffix(name, `finish_reason"`), hasSuffix(name, `error"`):
			if !isNull(value) {
				return false
			}
		case hasSuffix(name, `choices"`):
			choices = !isNull(value) && !bytes.HasPrefix(bytes.TrimLeft(value, " "), []byte("[]")) // routers tell behind the end what it cost
		}
		data = value
	}
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}

func isNull(value []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(value, " "), []byte("null")) }

// readFrameFailure reads the error that a frame tells, if it does.
func readFrameFailure(data []byte, frame wire.Frame) *fault.Error {
	if e := readFailure(jsonscan.At(data, 0)); e != nil {
		return e
	}
	if string(frame.Event) == "error" {
		return dialect.Unreadable(data)
	}
	return nil
}

// read reads one of choices.
func (d *streamReader) read(whole jsonscan.Value, r *reply) {
	var delta, message, text, reason, native, likely, sequence, failed jsonscan.Value
	answer := int64(0)
	d.words = jsonscan.Value{}
	for key, v := range whole.Members() {
		switch key.Name {
		case "index":
			answer = readCount(v)
		case "delta":
			delta = v
		case "message":
			message = v
		case "text":
			text = v
		case "finish_reason":
			reason = v
		case "native_finish_reason": // the word of the server behind a router, which may be all that tells of its failure
			native = v
		case "logprobs":
			likely = v
		case "error":
			failed = v
		case "stop_reason", "matched_stop":
			if v.View() != "" {
				sequence = v
			}
		case "usage":
			if r.usage.Kind() != object { // one server has it here
				r.count(v)
			}
		default:
			if !isKnownMember(key.Name) {
				r.learn(key.Name, v)
			}
		}
	}
	if answer >= mostChoices {
		return
	}
	if !d.light {
		d.turnTo(int(answer))
		before := len(d.events)
		if d.readDelta(d.news(delta, message)); !delta.Exists() && text.View() != "" { // of the older API
			d.readPiece("content", text, delta)
		}
		d.rate(d.events[before:], likely)
	}
	switch word, _ := reason.Text(); {
	case !isNoError(failed, whole):
		d.broken = readFailure(whole)
	case !d.light && (isFailure(word, d.useful) || isFailure(native.View(), d.useful)):
		d.broken = chat.BrokenError(dialect.Cause(0, whole.Raw()))
	case word != "":
		d.matched = strings.Clone(sequence.View())
		d.finish(word)
	}
}

// readPiece reads one member of a delta.
func (d *streamReader) readPiece(key string, v, delta jsonscan.Value) {
	switch key {
	case "content":
		if text, ok := v.Piece(); ok {
			d.say(blockText, chat.Part{Kind: chat.Text, Text: text})
			return
		}
		for _, p := range readContent(v, &d.others) {
			block := blockText
			if p.Kind == chat.Refusal {
				d.refused, block = true, blockRefusal
			}
			d.sayCopy(block, p)
		}
	case "reasoning_content", "reasoning", "reasoning_text", "thinking", "thinking_content", "thought":
		if text := wordsOf(v); text == "" {
			d.others.See(key, v)
		} else if !isRepeated(key, delta) {
			d.think(text)
		}
	case "reasoning_details":
		for _, item := range v.Elements() {
			d.readDetail(item)
		}
	case "refusal":
		text, _ := v.Piece()
		d.refused = d.refused || text != ""
		d.say(blockRefusal, chat.Part{Kind: chat.Refusal, Text: text})
	case "tool_calls":
		for _, call := range inList(v) {
			d.readCall(call)
		}
	case "function_call":
		if !isTwin(v, delta.Get("tool_calls")) {
			d.readFunction(v)
		}
	case "extra_content":
		d.sayCopy(blockText, chat.Part{Kind: chat.Text, Proof: signature(v)})
	case "annotations":
		d.readAnnotations(v)
	case "audio":
		d.sound.take(v)
	case "images":
		for _, p := range readPictures(v) {
			p.At = 0
			d.pictures++
			d.sayCopy(min(blockPicture+d.pictures, blockDetail-1), p)
		}
	case "role", "name":
	default:
		d.others.See(key, v)
	}
}

// say appends a piece, unless it says nothing.
func (d *streamReader) say(block int, p chat.Part) {
	if p.Text != "" || p.Proof != "" || p.Media != nil || p.Citations != nil {
		d.useful = d.useful || p.Kind != chat.Thought && p.Kind != chat.Redacted
		d.tell(chat.Event{Kind: chat.Delta, Block: block, Part: p})
	}
}

// tell appends an event of the answer that is being read.
func (d *streamReader) tell(e chat.Event) {
	e.Answer = d.answer
	d.events = append(d.events, e)
}

// sayCopy is say for a piece whose texts are the frame's, whose bytes will change.
func (d *streamReader) sayCopy(block int, p chat.Part) {
	p.Text, p.Proof = strings.Clone(p.Text), strings.Clone(p.Proof)
	if m := p.Media; m != nil {
		m.URL, m.Base64, m.Type, m.Detail = strings.Clone(m.URL), strings.Clone(m.Base64), strings.Clone(m.Type), strings.Clone(m.Detail)
	}
	for i := range p.Citations {
		c := &p.Citations[i]
		c.URL, c.Title, c.Quote, c.Raw = strings.Clone(c.URL), strings.Clone(c.Title), strings.Clone(c.Quote), slices.Clone(c.Raw)
	}
	d.say(block, p)
}

func (d *streamReader) finish(word string) {
	d.nameAll()
	d.tellSources()
	if p, ok := d.sound.toPart(); ok {
		d.tell(chat.Event{Kind: chat.Delta, Block: blockSound, Part: p})
	}
	stop := withStopSequence(readFinish(word, d.refused), d.matched)
	if was := d.stop.Reason; stop.Reason == chat.EndTurn && (was == chat.MaxTokens || was == chat.Refused) {
		stop = d.stop // some servers say behind every end that there was one
	}
	d.ended, d.stop = true, stop
	d.tell(chat.Event{Kind: chat.Finish, Stop: stop, Notes: d.others.TakeLosses()})
}

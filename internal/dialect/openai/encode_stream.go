package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// NewEncoder begins a stream to one client.
func (Codec) NewEncoder(req *chat.Request) dialect.Encoder {
	return &streamWriter{req: req, counts: req.Origin.Usage || req.Origin.Cost}
}

// streamWriter writes one stream. Everything that is the same in all its chunks is
// written once and copied.
type streamWriter struct {
	asked

	req    *chat.Request // nil once it was read for what it asked: frames that pass through need none of that
	counts bool          // the client wants usage
	head   []byte        // of every chunk, up to its choices
	delta  []byte        // from there up to the members of delta
	tail   []byte        // from the end of delta on
	tier   string        // that serves, as the upstream said when it began

	told
}

// told is what is remembered of the answer that is being told.
type told struct {
	answer     int
	open       chat.Part // the open block: its kind, and of a call its id and name
	blocks     int
	thought    []byte // the open thought so far
	place      chat.Placed
	thoughts   int  // how many were told
	withheld   bool // the open thought is not shown
	calls      int
	argued     bool   // the open call has arguments
	input      []byte // the arguments of an open call that becomes free text
	said       bool
	sounded    bool // a sound was begun
	length     int  // of text so far, in bytes
	characters int  // and in characters
	before     int  // of them before the open block
	cited      []chat.Citation
	sources    []source
}

func (*streamWriter) ContentType() string { return wire.EventStream }

// Encode appends the chunks of one event.
func (x *streamWriter) Encode(dst []byte, e *chat.Event) ([]byte, error) {
	if x.req != nil {
		x.asked, x.req = askedBy(x.req), nil
	}
	if e.Answer != x.answer && e.Kind != chat.Start {
		dst = x.choose(dst, e.Answer)
	}
	switch e.Kind {
	case chat.Start:
		return x.start(dst, e), nil
	case chat.Open:
		return x.begin(dst, &e.Part), nil
	case chat.Delta:
		if x.open.Kind == chat.Text && e.Part.Logprobs != nil {
			dst = x.writeRated(dst, &e.Part)
			e.Part.Text, e.Part.Logprobs = "", nil
		}
		if x.open.Kind == chat.Text && e.Part.Proof == "" && len(e.Part.Citations) == 0 {
			return x.writeText(dst, e.Part.Text), nil
		}
		return x.writePiece(dst, &e.Part), nil
	case chat.Close:
		return x.end(dst), nil
	case chat.Finish:
		return x.finish(dst, e)
	case chat.Counted: // loose only
	}
	return dst, nil
}

func (*streamWriter) KeepAlive(dst []byte) []byte { return append(dst, ": keep-alive\n\n"...) }

// Fail appends an error. No [DONE] follows: the answer is not done.
func (*streamWriter) Fail(dst []byte, e *fault.Error, requestID string) []byte {
	_, body := Codec{}.EncodeError(e, requestID)
	return append(append(append(dst, "data: "...), body...), "\n\n"...)
}

func (x *streamWriter) start(dst []byte, e *chat.Event) []byte {
	w := jsonscan.NewWriter([]byte("data: "))
	w.Open(object).Key("id").Text(answerID(e.ID)).Key("object").Plain("chat.completion.chunk")
	w.Key("created").Int(time.Now().Unix()).Key("model").Text(x.model)
	x.head, x.tier = w.Bytes(), e.Tier
	x.tail = append(append([]byte(`},"logprobs":null,"finish_reason":null}]`), x.usageLater()...), "}\n\n"...)
	return x.choose(dst, e.Answer)
}

// choose begins one of the answers: all that is remembered is one's own.
func (x *streamWriter) choose(dst []byte, answer int) []byte {
	x.told = told{answer: answer}
	x.delta = fmt.Appendf(nil, `,"choices":[{"index":%d,"delta":{`, answer)
	dst = append(append(dst, x.head...), x.delta...)
	dst = append(dst, `"role":"assistant","content":"","refusal":null`...)
	return append(dst, x.tail...)
}

// usageLater is what chunks without usage say about it, if the client wants it.
func (x *streamWriter) usageLater() string {
	if x.counts {
		return `,"usage":null`
	}
	return ""
}

// beginChunk begins a chunk; the caller writes members of delta and ends it with endChunk.
func (x *streamWriter) beginChunk(dst []byte) *jsonscan.Writer {
	return jsonscan.NewWriter(append(append(dst, x.head...), x.delta...))
}

// endChunk ends a chunk.
func (x *streamWriter) endChunk(w *jsonscan.Writer) []byte { return append(w.Bytes(), x.tail...) }

func (x *streamWriter) writeText(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	x.said = true
	x.length += len(text)
	x.characters += utf8.RuneCountInString(text)
	return x.say(dst, "content", text)
}

// writeRated appends text with its log-probabilities.
func (x *streamWriter) writeRated(dst []byte, p *chat.Part) []byte {
	at := len(dst)
	dst = x.writeText(dst, p.Text)
	if len(dst) == at {
		dst = x.say(dst, "content", "")
	}
	const none = `"logprobs":null`
	i := len(dst) - len(x.tail) + bytes.Index(x.tail, []byte(none))
	return append(append(dst[:i:i], `"logprobs":`...), slices.Concat(p.Logprobs, x.tail[bytes.Index(x.tail, []byte(none))+len(none):])...)
}

// say appends a chunk with one text.
func (x *streamWriter) say(dst []byte, key, text string) []byte {
	return x.endChunk(x.beginChunk(dst).Key(key).Text(text))
}

// begin opens a block.
func (x *streamWriter) begin(dst []byte, p *chat.Part) []byte {
	x.open = chat.Part{Kind: p.Kind, ID: p.ID, Name: p.Name, Custom: p.Custom}
	x.blocks++
	x.before, x.withheld, x.argued, x.input, x.thought = x.characters, false, false, x.input[:0], x.thought[:0]
	if p.Kind != chat.ToolCall {
		x.place = chat.Placed{Said: x.length, Calls: x.calls}
		return dst
	}
	x.calls++
	if x.custom[p.Name] && !p.Custom {
		return dst // told when it is whole
	}
	return x.beginCall(dst)
}

func (x *streamWriter) beginCall(dst []byte) []byte {
	p := &x.open
	w := x.beginChunk(dst)
	switch {
	case x.legacy && x.calls > 1:
		return dst // the answer has room for one
	case x.legacy:
		w.Key("function_call").Open(object).Key("name").Text(p.Name).Key("arguments").Text("").Close(object)
	default:
		x.beginCallList(w).Key("id").Text(p.ID)
		writeCall(w, p.Custom, p.Name, "")
		w.Close(object).Close(array)
	}
	return x.endChunk(w)
}

// beginCallList begins a list of one call, the open one.
func (x *streamWriter) beginCallList(w *jsonscan.Writer) *jsonscan.Writer {
	return w.Key("tool_calls").Open(array).Open(object).Key("index").Int(int64(x.calls - 1))
}

// writePiece appends what is new of the open block.
func (x *streamWriter) writePiece(dst []byte, p *chat.Part) []byte {
	switch x.open.Kind {
	case chat.Text:
		dst = x.writeText(dst, p.Text)
		x.cited = append(x.cited, p.Citations...)
		if p.Proof == "" {
			return dst
		}
		w := x.beginChunk(dst)
		writeSignature(w, p.Proof)
		return x.endChunk(w)
	case chat.Refusal:
		x.said = true
		return x.say(dst, "refusal", p.Text)
	case chat.Thought, chat.Redacted:
		return x.think(dst, p)
	case chat.ToolCall:
		return x.writeArguments(dst, p)
	case chat.Audio:
		w := x.beginChunk(dst)
		piece := *p
		piece.ID = x.open.ID
		writeSound(w, &piece, !x.sounded)
		x.sounded = true
		return x.endChunk(w)
	case chat.Image:
		w := x.beginChunk(dst)
		writePictures(w, []chat.Part{*p})
		return x.endChunk(w)
	case chat.Video, chat.Document, chat.ToolResult, chat.Opaque:
	}
	return dst
}

// think appends a thought's words and keeps them with its signature. A signature
// whose words are withheld is withheld too: it is good for nothing without them.
func (x *streamWriter) think(dst []byte, p *chat.Part) []byte {
	if x.withheld = x.withheld || x.open.Kind == chat.Thought && p.Text != "" && !x.show; x.withheld {
		return dst
	}
	x.thought = append(x.thought, p.Text...)
	if p.Proof != "" {
		x.open.Proof = p.Proof
	}
	if x.open.Kind == chat.Redacted || p.Text == "" {
		return dst
	}
	return x.say(dst, "reasoning_content", p.Text)
}

// endThought appends a whole thought in the form that is sent back, once: clients put these
// together by their index. The official helpers keep only the last value of a member that
// they do not know; of a turn that comes back so the vault knows the rest.
func (x *streamWriter) endThought(dst []byte) []byte {
	if x.withheld || len(x.thought) == 0 && x.open.Proof == "" {
		return dst
	}
	x.place.Part = chat.Part{Kind: x.open.Kind, Text: string(x.thought), Proof: x.open.Proof}
	w := x.beginChunk(dst)
	w.Key("reasoning_details").Open(array)
	writeDetail(w, &x.place, x.thoughts)
	x.thoughts++
	w.Close(array)
	return x.endChunk(w)
}

func (x *streamWriter) writeArguments(dst []byte, p *chat.Part) []byte {
	if x.custom[x.open.Name] && !x.open.Custom {
		x.input = append(x.input, p.Text...)
		if p.Proof != "" {
			x.open.Proof = p.Proof
		}
		return dst
	}
	text := x.hold(p.Text)
	if x.legacy && x.calls > 1 || text == "" && p.Proof == "" {
		return dst
	}
	w := x.beginChunk(dst)
	if x.legacy {
		w.Key("function_call").Open(object).Key("arguments").Text(text).Close(object)
		return x.endChunk(w)
	}
	x.beginCallList(w)
	if x.open.Custom {
		w.Key("custom").Open(object).Key("input").Text(text).Close(object)
	} else {
		w.Key("function").Open(object).Key("arguments").Text(text).Close(object)
	}
	writeSignature(w, p.Proof)
	w.Close(object).Close(array)
	return x.endChunk(w)
}

// hold keeps arguments back that do not begin as an object does: whether they are one shows when all of them are there.
func (x *streamWriter) hold(text string) string {
	if x.argued || x.open.Custom {
		return text
	}
	x.input = append(x.input, text...)
	if begins := bytes.TrimLeft(x.input, " \t\r\n"); len(begins) == 0 || begins[0] != '{' {
		return ""
	}
	x.argued = true
	return string(x.input)
}

// end closes the open block.
func (x *streamWriter) end(dst []byte) []byte {
	p := &x.open
	switch {
	case p.Kind == chat.Text:
		for _, c := range x.cited {
			x.sources = append(x.sources, sourceOf(c, x.before, x.characters-x.before))
		}
		x.cited = x.cited[:0]
	case p.Kind == chat.Thought || p.Kind == chat.Redacted:
		dst = x.endThought(dst)
	case p.Kind != chat.ToolCall || p.Custom:
	case x.custom[p.Name]:
		w := x.beginChunk(dst)
		x.beginCallList(w).Key("id").Text(p.ID)
		writeCall(w, true, p.Name, unwrapInput(string(x.input)))
		writeSignature(w, p.Proof)
		w.Close(object).Close(array)
		dst = x.endChunk(w)
	case !x.argued:
		x.argued = true
		dst = x.writeArguments(dst, &chat.Part{Text: argumentsOf(string(x.input))})
	}
	x.open = chat.Part{}
	return dst
}

// finish appends what only the end brings: sources, the reason, usage, [DONE].
func (x *streamWriter) finish(dst []byte, e *chat.Event) ([]byte, error) {
	if err := checkUsable(e.Stop, x.blocks); err != nil {
		return dst, err
	}
	if !x.said && e.Stop.Reason == chat.Refused && e.Stop.Explanation != "" {
		dst = x.say(dst, "refusal", e.Stop.Explanation)
	}
	if len(x.sources) > 0 {
		w := x.beginChunk(dst)
		writeSources(w, x.sources)
		dst = x.endChunk(w)
	}
	dst = append(append(dst, x.head...), x.delta...)
	dst = append(dst, `},"logprobs":null,"finish_reason":"`...)
	dst = append(dst, finishReason(e.Stop, x.legacy)...)
	dst = append(dst, `"}]`...)
	if tier := cmp.Or(tiers[e.Usage.Tier], tiers[x.tier]); tier != "" {
		dst = append(append(append(dst, `,"service_tier":"`...), tier...), '"')
	}
	dst = append(append(dst, x.usageLater()...), "}\n\n"...)
	if e.More {
		return dst, nil
	}
	if x.counts {
		w := jsonscan.NewWriter(append(append(dst, x.head...), `,"choices":[],"usage":`...))
		writeUsage(w, e.Usage)
		dst = append(w.Bytes(), "}\n\n"...)
	}
	return append(dst, "data: [DONE]\n\n"...), nil
}

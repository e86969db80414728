package gemini

import (
	"bytes"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// NewEncoder begins a stream to one client: server-sent events, or the elements
// of one JSON array where the client did not ask for events.
func (Codec) NewEncoder(req *chat.Request) dialect.Encoder {
	if req.Origin.Unframed {
		return &arrayWriter{streamWriter{req: req}}
	}
	return &streamWriter{req: req, framed: true}
}

// streamWriter writes one stream. Every frame is an answer in itself of which only
// the parts are new, so calls are held back until they are whole.
type streamWriter struct {
	req    *chat.Request
	framed bool
	begun  bool // a frame was written
	opened bool // the bracket that begins the array was
	ended  bool
	parts  replyWriter
	tail   []byte // the members that end each frame
	block  chat.Part
	args   []byte     // the open call's arguments so far
	broken *chat.Part // a call whose arguments are not JSON, until it is known why
	answer int        // which one is being told
}

const (
	array = "application/json; charset=utf-8"
	head  = `{"candidates":[{"content":{"parts":[`
	foot  = `],"role":"model"},"index":`
	// In every frame before the last, as Google has counts in all: BAML skips a frame without them, Rig one where one of
	// them is missing, and LangChain adds up how they grow, so they are no guesses.
	untold = `"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0}`
)

// ContentType is how the stream is announced.
func (w *streamWriter) ContentType() string {
	if w.framed {
		return wire.EventStream
	}
	return array
}

// Encode appends what an event means to the client.
func (w *streamWriter) Encode(dst []byte, e *chat.Event) ([]byte, error) {
	if w.tail == nil {
		w.start(e)
	}
	w.answer = e.Answer
	switch e.Kind {
	case chat.Open:
		return w.open(dst, &e.Part), nil
	case chat.Delta:
		return w.writeDelta(dst, &e.Part), nil
	case chat.Close:
		if e.Part.Kind == chat.ToolCall {
			return w.writeCall(dst), nil
		}
	case chat.Finish:
		return w.finish(dst, e), nil
	case chat.Start, chat.Counted:
	}
	return dst, nil
}

// KeepAlive appends white space: a blank line between frames, and nothing before or after
// an array, where Google's clients for Python that speak REST take nothing.
func (w *streamWriter) KeepAlive(dst []byte) []byte {
	switch {
	case w.framed:
		return append(dst, "\n\n"...)
	case w.ended:
		return dst
	}
	return append(w.openArray(dst), '\n')
}

// Fail appends the API's own error, as the stream's last word.
func (w *streamWriter) Fail(dst []byte, e *fault.Error, requestID string) []byte {
	if w.ended {
		return dst
	}
	_, body := Codec{}.EncodeError(e, requestID)
	return w.endArray(w.end(append(w.begin(dst), bytes.TrimSpace(body)...)))
}

// open remembers what begins.
func (w *streamWriter) open(dst []byte, p *chat.Part) []byte {
	w.block = *p
	w.args = w.args[:0]
	w.parts.place()
	if w.broken != nil { // it was not the last thing, so nothing cut it off
		dst = w.writeFrame(dst, w.broken)
		w.broken = nil
	}
	return dst
}

// writeDelta tells a piece, unless it is one of a call, which must be whole.
func (w *streamWriter) writeDelta(dst []byte, p *chat.Part) []byte {
	switch p.Kind {
	case chat.ToolCall:
		w.args = append(w.args, p.Text...)
		if p.Proof != "" {
			w.block.Proof = p.Proof
		}
		return dst
	case chat.Opaque:
		named := *p
		named.Name = w.block.Name
		return w.writeFrame(dst, &named)
	}
	return w.writeFrame(dst, p)
}

// start reads what the client asked for and makes what every frame repeats.
func (w *streamWriter) start(e *chat.Event) {
	w.parts.show = shows(w.req)
	var tail jsonscan.Writer
	w.tail = tail.Key("modelVersion").Text(w.req.Model).Key("responseId").Text(ownID(e.ID)).Bytes()
}

// writeCall writes the call that is whole now.
func (w *streamWriter) writeCall(dst []byte) []byte {
	p := w.block
	p.Text = string(w.args)
	if !p.Custom && isPartial(p.Text) {
		w.broken = &p
		return dst
	}
	return w.writeFrame(dst, &p)
}

// writeFrame appends a frame with a part, if there is anything to say.
func (w *streamWriter) writeFrame(dst []byte, p *chat.Part) []byte {
	at := len(dst)
	dst = append(w.begin(dst), head...)
	empty := len(dst)
	w.parts.Writer = *jsonscan.NewWriter(dst)
	w.parts.writePart(p)
	if len(w.parts.Bytes()) == empty && p.Logprobs != nil { // clients forget a turn in which a frame has no part
		w.parts.writeText("", "")
	}
	if dst = w.parts.Bytes(); len(dst) == empty {
		return dst[:at]
	}
	dst = strconv.AppendInt(append(dst, foot...), int64(w.answer), 10)
	if p.Logprobs != nil {
		likely := jsonscan.NewWriter(append(dst, ','))
		if closeLogprobs(likely, p.Logprobs); len(likely.Bytes()) > len(dst)+1 {
			dst = likely.Bytes()
		}
	}
	dst = append(append(dst, "}],"+untold+","...), w.tail...)
	return w.end(append(dst, '}'))
}

// begin appends what stands before a frame.
func (w *streamWriter) begin(dst []byte) []byte {
	switch {
	case w.framed:
		return append(dst, "data: "...)
	case w.begun:
		return append(dst, ",\r\n"...)
	}
	return w.openArray(dst)
}

// openArray begins the array, unless it has begun.
func (w *streamWriter) openArray(dst []byte) []byte {
	if w.opened {
		return dst
	}
	w.opened = true
	return append(dst, '[')
}

// end appends what stands behind a frame.
func (w *streamWriter) end(dst []byte) []byte {
	w.begun = true
	if w.framed { // Google ends lines with CRLF; LF is as valid, and one client sees nothing else
		return append(dst, "\n\n"...)
	}
	return append(dst, '\n')
}

// finish appends the last frame: why it ended, what it cost, and a part, because
// clients forget a turn in which a frame has none.
func (w *streamWriter) finish(dst []byte, e *chat.Event) []byte {
	if w.broken != nil && !e.Stop.CutsOff() {
		dst = w.writeFrame(dst, w.broken)
	}
	w.broken = nil
	parts := &w.parts
	parts.Writer = *jsonscan.NewWriter(append(w.begin(dst), head...))
	parts.writeText("", parts.signatureOf(""))
	parts.Close(jsonscan.Array).Key("role").Text("model").Close(jsonscan.Object)
	parts.writeEnd(e.Stop)
	parts.Key("index").Int(int64(w.answer)).Close(jsonscan.Object).Close(jsonscan.Array)
	if e.More { // another answer follows: this one's state is not its
		dst = w.end(append(append(append(parts.Bytes(), ","+untold+","...), w.tail...), '}'))
		w.parts = replyWriter{show: w.parts.show}
		return dst
	}
	writeUsage(&parts.Writer, e.Usage)
	return w.endArray(w.end(parts.Raw(w.tail).Close(jsonscan.Object).Bytes()))
}

// endArray ends the array.
func (w *streamWriter) endArray(dst []byte) []byte {
	w.ended = true
	if w.framed {
		return dst
	}
	return append(dst, ']')
}

package gemini

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// NewEncoder begins a stream to one client: server-sent events, or the elements
// of one JSON array where the client did not ask for events.
func (Codec) NewEncoder(req *chat.Request) dialect.Encoder {
	if req.Origin.Unframed {
		return &arrayEncoder{encoder{req: req}}
	}
	return &encoder{req: req, framed: true}
}

// encoder writes one stream. Every frame is an answer in itself of which only
// the parts are new, so calls are held back until they are whole.
type encoder struct {
	req    *chat.Request
	framed bool
	begun  bool // a frame was written
	ended  bool
	s      speaker
	tail   []byte // what ends each frame
	block  chat.Part
	args   []byte     // the open call's arguments so far
	broken *chat.Part // a call whose arguments are not JSON, until it is known why
}

const (
	events = "text/event-stream"
	array  = "application/json"
	head   = `{"candidates":[{"content":{"parts":[`
	foot   = `],"role":"model"},"index":0}]`
)

// ContentType is how the stream is announced.
func (x *encoder) ContentType() string {
	if x.framed {
		return events
	}
	return array
}

// Encode appends what an event means to the client.
func (x *encoder) Encode(dst []byte, e *chat.Event) ([]byte, error) {
	if x.tail == nil {
		x.start(e)
	}
	switch e.Kind {
	case chat.Open:
		return x.open(dst, &e.Part), nil
	case chat.Delta:
		return x.delta(dst, &e.Part), nil
	case chat.Close:
		if e.Part.Kind == chat.ToolCall {
			return x.call(dst), nil
		}
	case chat.Finish:
		return x.finish(dst, e), nil
	case chat.Start, chat.Counted:
	}
	return dst, nil
}

// KeepAlive appends white space. Between events that end in CRLF it must be CRLF
// too: the official Go client takes a lone LF beside one for part of an event.
func (x *encoder) KeepAlive(dst []byte) []byte {
	switch {
	case !x.framed:
		return append(dst, '\n')
	case x.begun:
		return append(dst, "\r\n\r\n"...)
	}
	return append(dst, "\n\n"...)
}

// Fail appends the API's own error, as the stream's last word.
func (x *encoder) Fail(dst []byte, e *fault.Error, requestID string) []byte {
	if x.ended {
		return dst
	}
	_, body := Codec{}.EncodeError(e, requestID)
	return x.finished(x.end(append(x.begin(dst), bytes.TrimSpace(body)...)))
}

// open remembers what begins.
func (x *encoder) open(dst []byte, p *chat.Part) []byte {
	x.block = *p
	x.args = x.args[:0]
	if p.Kind == chat.Text {
		x.s.said = x.s.said[:0]
	}
	if x.broken != nil { // it was not the last thing, so nothing cut it off
		dst = x.frame(dst, x.broken)
		x.broken = nil
	}
	return dst
}

// delta tells a piece, unless it is one of a call, which must be whole.
func (x *encoder) delta(dst []byte, p *chat.Part) []byte {
	switch p.Kind {
	case chat.ToolCall:
		x.args = append(x.args, p.Text...)
		if p.Proof != "" {
			x.block.Proof = p.Proof
		}
		return dst
	case chat.Opaque:
		named := *p
		named.Name = x.block.Name
		return x.frame(dst, &named)
	}
	return x.frame(dst, p)
}

// start reads what the client asked for and makes what every frame repeats.
func (x *encoder) start(e *chat.Event) {
	x.s.show = shows(x.req)
	w := writer{[]byte(foot)}
	w.member("modelVersion", x.req.Model)
	w.member("responseId", ownID(e.ID))
	w.close('}')
	x.tail = w.b
}

// call writes the call that is whole now.
func (x *encoder) call(dst []byte) []byte {
	p := x.block
	p.Text = string(x.args)
	if !p.Custom && partial(p.Text) {
		x.broken = &p
		return dst
	}
	return x.frame(dst, &p)
}

// frame appends a frame with a part, if there is anything to say.
func (x *encoder) frame(dst []byte, p *chat.Part) []byte {
	at := len(dst)
	x.s.b = append(x.begin(dst), head...)
	empty := len(x.s.b)
	x.s.part(p)
	dst, x.s.b = x.s.b, nil
	if len(dst) == empty {
		return dst[:at]
	}
	return x.end(append(dst, x.tail...))
}

// begin appends what stands before a frame.
func (x *encoder) begin(dst []byte) []byte {
	switch {
	case x.framed:
		return append(dst, "data: "...)
	case x.begun:
		return append(dst, ",\r\n"...)
	}
	return append(dst, '[')
}

// end appends what stands behind a frame.
func (x *encoder) end(dst []byte) []byte {
	x.begun = true
	if x.framed {
		return append(dst, "\r\n\r\n"...)
	}
	return append(dst, '\n')
}

// finish appends the last frame: why it ended, what it cost, and a part, because
// clients forget a turn in which a frame has none.
func (x *encoder) finish(dst []byte, e *chat.Event) []byte {
	if x.broken != nil && e.Stop.Reason != chat.MaxTokens {
		dst = x.frame(dst, x.broken)
	}
	x.broken = nil
	x.s.b = append(x.begin(dst), head...)
	s := &x.s
	signature := s.pending
	s.pending = ""
	s.open('{')
	s.member("text", "")
	s.sign(signature)
	s.close('}')
	s.b = append(s.b, `],"role":"model"}`...)
	s.ending(e.Stop)
	s.b = append(s.b, `,"index":0}]`...)
	s.usage(e.Usage)
	s.b = append(s.b, x.tail[min(len(foot), len(x.tail)):]...)
	dst, s.b = x.end(s.b), nil
	return x.finished(dst)
}

// finished ends the array.
func (x *encoder) finished(dst []byte) []byte {
	x.ended = true
	if x.framed {
		return dst
	}
	return append(dst, ']')
}

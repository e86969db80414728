package provider

import (
	"bytes"
	"io"
	"slices"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// decode reads a frame. Where an answer should begin an error of any form is the upstream's refusal, and a
// last word alone is no answer: nothing was sent yet, and another upstream can be asked. Behind the last word nothing
// is said to any client of the dialect, whatever follows.
func (s *source) decode(frame wire.Frame, bare bool) ([]chat.Event, error) {
	if s.seen.Ended {
		return nil, nil
	}
	begins := s.seen.Chunks == 0 && len(frame.Data) > 0
	if begins && string(frame.Data) == "[DONE]" {
		return nil, chat.BrokenError(chat.ErrCut)
	}
	if begins || bare || string(frame.Event) == "error" {
		if status, stray := dialect.ReadStray(frame); stray {
			return nil, s.c.dialect.DecodeError(status, s.answer.Header, frame.Data)
		}
	}
	if begins && !isWhole(frame.Data) {
		return nil, dialect.Unreadable(frame.Data)
	}
	events, err := s.decoder.Decode((*s.spare)[:0], frame)
	if err == nil && len(events) == 0 && len(frame.Data) > 0 && !s.light { // it says nothing of the answer
		if status, stray := dialect.ReadStray(frame); stray {
			return nil, s.c.dialect.DecodeError(status, s.answer.Header, frame.Data)
		}
	}
	return events, err
}

// isPing reports whether a frame is Anthropic's sign of life: an upstream that sends it before its first word may still fail
// and be replaced, as one may that sends comments.
func isPing(frame wire.Frame) bool {
	return string(frame.Event) == "ping" || jsonscan.At(frame.Data, 0).Get("type").View() == "ping"
}

// takeBare takes JSON that stands in a stream without being an event for the data of one, and reports whether it was
// that: an error that forgot where it is.
func takeBare(frame *wire.Frame) bool {
	if len(frame.Data) > 0 {
		return false
	}
	raw := bytes.TrimSpace(bytes.TrimPrefix(frame.Raw, []byte(byteOrder)))
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return false
	}
	frame.Data = raw
	return true
}

// takeComment makes a comment of a frame whose data is one: gateways put the signs of life of what is behind them there, and
// one that did does so again.
func (s *source) takeComment(frame *wire.Frame) {
	if len(frame.Data) > 0 && frame.Data[0] == ':' && bytes.IndexByte(frame.Data, '\n') < 0 {
		*frame = wire.Frame{Raw: slices.Concat(frame.Data, []byte("\n\n"))}
		s.skims = false
	}
}

// goodbye is how long an upstream is waited for that has said its last word, so that its connection serves others:
// some hang up only when their client does.
const goodbye = 250 * time.Millisecond

// leave reads what is behind the last word, which no client hears, to its end.
func (s *source) leave() error {
	late := time.AfterFunc(goodbye, func() { s.dog.cancel(errOver) })
	defer late.Stop()
	for {
		if _, err := s.reader.Next(); err != nil {
			return io.EOF
		}
	}
}

// whyEnded is what the end of a stream means: it was complete, or it was cut off.
func (s *source) whyEnded(err error) error {
	switch {
	case s.seen.Ended:
		return io.EOF
	case err != io.EOF: //nolint:errorlint // as readers return it
		return toBroken(err)
	case !s.over:
		return chat.BrokenError(chat.ErrCut)
	}
	return err
}

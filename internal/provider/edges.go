package provider

import (
	"io"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// decode reads a frame. Where an answer should begin an error of any form is the upstream's refusal, and a
// last word alone is no answer: nothing was sent yet, and another upstream can be asked.
func (s *source) decode(frame wire.Frame) ([]chat.Event, error) {
	begins := s.seen.Chunks == 0 && len(frame.Data) > 0
	if begins && string(frame.Data) == "[DONE]" {
		return nil, chat.BrokenError(chat.ErrCut)
	}
	if begins || string(frame.Event) == "error" {
		if status, stray := dialect.ReadStray(frame); stray {
			return nil, s.c.dialect.DecodeError(status, s.answer.Header, frame.Data)
		}
	}
	if begins && !isWhole(frame.Data) {
		return nil, dialect.Unreadable(frame.Data)
	}
	return s.decoder.Decode((*s.spare)[:0], frame)
}

// whyEnded is what the end of a stream means: it was complete, or it was cut off.
func (s *source) whyEnded(err error) error {
	switch {
	case err != io.EOF: //nolint:errorlint // as readers return it
		return toBroken(err)
	case !s.over:
		return chat.BrokenError(chat.ErrCut)
	}
	return err
}

package provider

import (
	"errors"
	"io"
	"net/http"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/wire"
)

// stream waits for the first frame, so that an upstream that fails right away
// can still be replaced by another, and makes the rest of the reply.
func (c *Chat) stream(dog *watchdog, answer *http.Response, call dialect.Call, reply *chat.Reply) error {
	if contentType(answer) == "application/json" && c.dialect.Name() != "gemini" {
		return c.replay(dog, answer, call, reply)
	}
	reply.Seen = new(chat.Seen)
	src := c.source(dog, answer, call, reply, reply.Seen)
	first, err := src.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return fault.New(fault.UpstreamError, "The model's provider sent an empty answer.").Because(chat.ErrCut)
		}
		return err
	}
	release := func() {
		_ = answer.Body.Close()
		dog.stop()
	}
	reply.Close = release
	reply.Stream = chat.Cut(chat.Tidy(func(yield func(chat.Chunk, error) bool) {
		defer release()
		if !yield(first, nil) {
			return
		}
		for chunk, err := range src.all() {
			if err != nil {
				err = dog.explain(err)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}), call.Stops)
	return nil
}

// replay makes a stream of a whole answer that came where one was asked for.
func (c *Chat) replay(dog *watchdog, answer *http.Response, call dialect.Call, reply *chat.Reply) error {
	reply.Passed = false
	if err := c.whole(dog, answer, call, reply); err != nil {
		return err
	}
	reply.Seen = &chat.Seen{Usage: reply.Response.Usage}
	reply.Stream, reply.Response, reply.Raw = chat.Replay(reply.Response), nil, nil
	return nil
}

// source reads an upstream's frames one by one.
type source struct {
	c       *Chat
	dog     *watchdog
	reader  wire.Reader
	decoder dialect.Decoder
	call    dialect.Call
	reply   *chat.Reply
	seen    *chat.Seen
	events  []chat.Event
}

// next is the next chunk; io.EOF ends the stream in peace.
func (s *source) next() (chat.Chunk, error) {
	for {
		frame, err := s.reader.Next()
		if err != nil {
			return chat.Chunk{}, broken(err)
		}
		s.dog.fed()
		if s.events, err = s.decoder.Decode(s.events[:0], frame); err != nil {
			return chat.Chunk{}, err
		}
		if len(frame.Data) > 0 {
			s.seen.Chunks++
		} else if !s.reply.Passed {
			continue // a comment means nothing in another dialect
		}
		s.count()
		return chat.Chunk{Events: s.events, Raw: frame.Raw, Hidden: s.decoder.Hidden(), More: !s.reader.Waiting()}, nil
	}
}

// count notes what came and makes it the client's: its names, and proofs in envelopes.
func (s *source) count() {
	for i := range s.events {
		e := &s.events[i]
		if e.Usage != (chat.Usage{}) {
			s.seen.Usage = e.Usage
		}
		s.seen.Text += len(e.Part.Text)
		if !s.reply.Passed {
			s.c.own(&e.Part, s.call, s.reply)
		}
	}
}

// own makes a part of an answer the client's: its own names for tools, and what
// only the upstream can read in an envelope addressed to it.
func (c *Chat) own(p *chat.Part, call dialect.Call, reply *chat.Reply) {
	if name, changed := call.Names[p.Name]; changed {
		p.Name = name
	}
	if p.Proof != "" {
		p.Proof = c.envelope(p.Proof, reply)
	}
	if p.Kind == chat.Redacted && p.Text != "" {
		p.Text = c.envelope(p.Text, reply)
	}
}

func (c *Chat) envelope(raw string, reply *chat.Reply) string {
	return chat.Envelope{Dialect: reply.Dialect, Provider: reply.Provider, Model: reply.Target, Raw: raw}.Wrap()
}

// finish makes a whole answer the client's.
func (c *Chat) finish(r *chat.Response, call dialect.Call, reply *chat.Reply) {
	for a := range r.Answers {
		answer := &r.Answers[a]
		called := false
		for i := range answer.Parts {
			c.own(&answer.Parts[i], call, reply)
			called = called || answer.Parts[i].Kind == chat.ToolCall
		}
		answer.Stop = chat.Settle(answer.Stop, called)
	}
	if len(call.Stops) > 0 {
		cut, err := chat.Collect(chat.Cut(chat.Replay(r), call.Stops))
		if err == nil {
			cut.ID, cut.Model, cut.Usage, cut.Notes = r.ID, r.Model, r.Usage, r.Notes
			*r = *cut
		}
	}
}

func (c *Chat) source(dog *watchdog, answer *http.Response, call dialect.Call, reply *chat.Reply, seen *chat.Seen) *source {
	return &source{
		c: c, dog: dog, reader: wire.NewSSE(answer.Body, mostAnswer), decoder: c.dialect.NewDecoder(reply.Passed),
		call: call, reply: reply, seen: seen,
	}
}

// all is the chunks that are left, as a stream.
func (s *source) all() chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		for {
			chunk, err := s.next()
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// broken is what a read error means: the end, or that the upstream failed.
func broken(err error) error {
	switch {
	case err == io.EOF: //nolint:errorlint // as readers return it
		return err
	case errors.Is(err, wire.ErrTooLong):
		return errTooLong().Because(err)
	}
	return fault.New(fault.UpstreamError, "The model's provider broke off in its answer.").Because(err)
}

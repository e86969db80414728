package chat

import "stele/internal/fault"

// ErrNotAllowed is an answer that is nothing but calls of such tools.
func ErrNotAllowed() *fault.Error {
	return fault.New(fault.UpstreamError, "The model called a tool that the request does not allow, and said nothing else.")
}

// Only leaves the calls of tools that are not allowed out of a strict stream. Lost hears
// of each, and empty of an answer of which nothing is left: it may end the stream.
func Only(stream Stream, allowed func(name string) bool, lost func(), empty func() error) Stream {
	return func(yield func(Chunk, error) bool) {
		c := chooser{allowed: allowed, lost: lost}
		for chunk, err := range stream {
			if err == nil {
				c.out = nil
				for _, e := range chunk.Events {
					c.take(e)
				}
				chunk.Events = c.out
			}
			if c.nothing && err == nil {
				err = empty()
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

type chooser struct {
	allowed func(name string) bool
	lost    func()
	answer  int
	gone    int  // blocks of the answer that were left out
	called  bool // a call of it was not
	useful  bool // something of it is no thought
	nothing bool // it has ended, and nothing of it was
	within  bool // a block is being left out
	out     []Event
}

func (c *chooser) take(e Event) {
	if e.Answer != c.answer {
		c.answer, c.gone, c.called, c.useful = e.Answer, 0, false, false
	}
	switch {
	case e.Kind == Open && e.Part.Kind == ToolCall && !c.allowed(e.Part.Name):
		c.within = true
		c.gone++
		c.lost()
		return
	case c.within && (e.Kind == Delta || e.Kind == Close):
		c.within = e.Kind == Delta
		return
	case e.Kind == Open || e.Kind == Delta || e.Kind == Close:
		c.useful = c.useful || e.Kind == Open && e.Part.Kind != Thought && e.Part.Kind != Redacted
		c.called = c.called || e.Part.Kind == ToolCall
		e.Block -= c.gone
	case e.Kind == Finish:
		c.nothing = c.nothing || c.gone > 0 && !c.useful && e.Stop.Reason != Paused
		e.Stop = Settle(e.Stop, c.called)
	}
	c.out = append(c.out, e)
}

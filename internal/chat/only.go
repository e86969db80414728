package chat

// Only leaves the calls of tools that are not allowed out of a strict stream. Lost hears
// of each.
func Only(stream Stream, allowed func(name string) bool, lost func()) Stream {
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
			if !yield(chunk, err) {
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
	within  bool // a block is being left out
	out     []Event
}

func (c *chooser) take(e Event) {
	if e.Answer != c.answer {
		c.answer, c.gone, c.called = e.Answer, 0, false
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
		c.called = c.called || e.Part.Kind == ToolCall
		e.Block -= c.gone
	case e.Kind == Finish:
		e.Stop = Settle(e.Stop, c.called)
	}
	c.out = append(c.out, e)
}

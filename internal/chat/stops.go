package chat

import "strings"

// mostStops is how many stop sequences are looked for in a stream: each is, in every
// piece of it. No model's provider takes as many.
const mostStops = 1000

// Cut ends each answer of a strict stream at the first of the stop sequences that its text
// reaches, for upstreams that cannot do it themselves. Text that may be the beginning of
// one is held back until it is clear, be it in one block or in several that follow each
// other. What follows the end of the only answer is not read.
func Cut(stream Stream, stops []string, several bool) Stream {
	if len(stops) == 0 {
		return stream
	}
	return func(yield func(Chunk, error) bool) {
		c := cutter{stops: stops[:min(len(stops), mostStops)], several: several}
		for chunk, err := range stream {
			if err != nil {
				yield(chunk, err)
				return
			}
			c.out = nil
			for _, e := range chunk.Events {
				if c.take(e); c.over {
					break
				}
			}
			chunk.Events = c.out
			if !yield(chunk, nil) || c.over {
				return
			}
		}
	}
}

type cutter struct {
	stops   []string
	several bool
	text    bool    // the block that is being read is text
	queue   []Event // from the first text on that may begin a stop sequence
	held    string  // the text in it
	open    bool    // a block was opened and not closed
	block   int     // which one
	usage   Usage
	hit     string // where the answer was cut, until its end is reached
	over    bool   // and there is no other
	out     []Event
}

func (c *cutter) take(e Event) {
	switch {
	case c.hit != "":
		if e.Kind == Finish { // the rest of the answer is not told
			e.Stop, c.hit = c.stop(), ""
			c.out = append(c.out, e)
		}
		return
	case e.Kind == Start:
		c.usage = e.Usage
	case e.Kind == Open:
		if c.text = e.Part.Kind == Text; !c.text {
			c.flush()
		}
	case e.Kind == Delta && c.text:
		c.cutDelta(e)
		return
	case e.Kind == Finish:
		c.flush()
	}
	if len(c.queue) > 0 {
		c.queue = append(c.queue, e)
	} else {
		c.tell(e)
	}
}

func (c *cutter) cutDelta(e Event) {
	c.held += e.Part.Text
	c.queue = append(c.queue, e)
	if at, stop := first(c.held, c.stops); at >= 0 {
		c.hit = stop
		c.release(at)
		c.end(e)
		return
	}
	keep := 0
	for _, s := range c.stops {
		for n := min(len(s)-1, len(c.held)); n > keep; n-- {
			if strings.HasSuffix(c.held, s[:n]) {
				keep = n
			}
		}
	}
	if keep == 0 {
		c.flush()
	} else {
		c.release(len(c.held) - keep)
	}
}

// release tells so many bytes of the text that was held back, and what stands before them.
func (c *cutter) release(n int) {
	c.held = c.held[n:]
	for n > 0 {
		e := c.queue[0]
		if text := e.Part.Text; e.Kind == Delta && len(text) > n {
			c.queue[0].Part = Part{Kind: Text, Text: text[n:]}
			e.Part.Text = text[:n]
		} else {
			c.queue = c.queue[1:]
		}
		n -= len(e.Part.Text)
		c.tell(e)
	}
}

// flush tells all that was held back.
func (c *cutter) flush() {
	for _, e := range c.queue {
		c.tell(e)
	}
	c.queue, c.held = c.queue[:0], ""
}

// end closes what is open. The only answer ends here, of several each with its own end.
func (c *cutter) end(at Event) {
	if c.open {
		c.tell(Event{Kind: Close, Answer: at.Answer, Block: c.block, Part: Part{Kind: Text}})
	}
	c.queue, c.held = nil, ""
	if c.several {
		return
	}
	c.over = true
	c.usage.Known = false
	c.tell(Event{Kind: Finish, Answer: at.Answer, Stop: c.stop(), Usage: c.usage})
}

func (c *cutter) stop() Stop { return Stop{Reason: StopSequence, Sequence: c.hit} }

// tell emits an event, unless it is a piece that says nothing.
func (c *cutter) tell(e Event) {
	switch e.Kind {
	case Open:
		c.open, c.block = true, e.Block
	case Close:
		c.open = false
	case Delta:
		if empty(&e.Part) {
			return
		}
	case Start, Counted, Finish:
	}
	c.out = append(c.out, e)
}

func first(text string, stops []string) (at int, stop string) {
	at = -1
	for _, s := range stops {
		if i := strings.Index(text, s); s != "" && i >= 0 && (at < 0 || i < at) {
			at, stop = i, s
		}
	}
	return at, stop
}

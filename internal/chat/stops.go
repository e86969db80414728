package chat

import "strings"

// mostStops is how many stop sequences are looked for in a stream: each is, in every
// piece of it. No model's provider takes as many.
const mostStops = 1000

// Cut ends a strict stream at the first of the stop sequences that its text
// reaches, for upstreams that cannot do it themselves. Text that may be the
// beginning of one is held back until it is clear. What follows is not read.
func Cut(stream Stream, stops []string) Stream {
	if len(stops) == 0 {
		return stream
	}
	return func(yield func(Chunk, error) bool) {
		c := cutter{stops: stops[:min(len(stops), mostStops)]}
		for chunk, err := range stream {
			if err != nil {
				yield(chunk, err)
				return
			}
			c.out = nil
			for _, e := range chunk.Events {
				c.take(e)
				if c.hit != "" {
					break
				}
			}
			chunk.Events = c.out
			if !yield(chunk, nil) || c.hit != "" {
				return
			}
		}
	}
}

type cutter struct {
	stops []string
	held  string // the end of the open block's text that may begin a stop sequence
	text  bool   // the open block is text
	usage Usage
	hit   string
	out   []Event
}

func (c *cutter) take(e Event) {
	switch {
	case e.Kind == Start:
		c.usage = e.Usage
	case e.Kind == Open:
		c.text, c.held = e.Part.Kind == Text, ""
	case e.Kind == Delta && c.text:
		c.delta(e)
		return
	case e.Kind == Close && c.held != "":
		c.out = append(c.out, Event{Kind: Delta, Block: e.Block, Part: Part{Kind: Text, Text: c.held}})
		c.held = ""
	}
	c.out = append(c.out, e)
}

func (c *cutter) delta(e Event) {
	text := c.held + e.Part.Text
	if at, stop := first(text, c.stops); at >= 0 {
		c.hit, e.Part.Text = stop, text[:at]
		if e.Part.Text != "" {
			c.out = append(c.out, e)
		}
		c.usage.Known = false
		c.out = append(c.out, Event{Kind: Close, Block: e.Block, Part: Part{Kind: Text}},
			Event{Kind: Finish, Stop: Stop{Reason: StopSequence, Sequence: stop}, Usage: c.usage})
		return
	}
	keep := 0
	for _, s := range c.stops {
		for n := min(len(s)-1, len(text)); n > keep; n-- {
			if strings.HasSuffix(text, s[:n]) {
				keep = n
			}
		}
	}
	e.Part.Text, c.held = text[:len(text)-keep], text[len(text)-keep:]
	if e.Part.Text != "" || e.Part.Proof != "" || len(e.Part.Citations) > 0 {
		c.out = append(c.out, e)
	}
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

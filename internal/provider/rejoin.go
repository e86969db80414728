package provider

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
)

// mostSaid is how much of an answer is remembered to be sent back: one that is
// longer ends where its upstream pauses.
const mostSaid = 1 << 20

// rejoiner makes one strict stream of an answer that came in several.
type rejoiner struct {
	reply *chat.Reply
	next  func(stop chat.Stop, said []chat.Part) (*chat.Reply, error)
	total *chat.Seen // of all parts together, for the meter
	seen  *chat.Seen // of the part that is being read
	close func()     // ends it

	base  chat.Seen    // of the parts before
	first int          // the number of this part's first block
	held  []chat.Event // the end of a block, until it is clear that it is one
	said  []chat.Part
	words strings.Builder
	size  int // of what was said
	told  int // characters of text in the parts before
	hops  int
	stop  chat.Stop   // why this part stopped, where it is to go on
	err   error       // why all of it is no answer
	late  *chat.Reply // of the part that is being read, if it is not the first: what it loses shows at its end
	out   []chat.Event
}

func (r *rejoiner) join(stream chat.Stream) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		for {
			r.stop = chat.Stop{}
			for chunk, err := range stream {
				if err == nil {
					chunk.Events = r.take(chunk.Events)
					r.count()
					err = r.err
				}
				if !yield(chunk, err) || err != nil {
					return
				}
			}
			if r.late != nil {
				r.reply.Late = append(r.reply.Late, r.late.Late...)
			}
			if r.stop.Reason == 0 {
				return
			}
			more, err := r.next(r.stop, r.said)
			if err != nil {
				yield(chat.Chunk{}, err)
				return
			}
			r.hops++
			r.base = *r.total
			r.first, r.told = len(r.said), chat.Characters(r.said)
			r.seen, r.close, stream, r.late = more.Seen, more.Close, more.Stream, more
		}
	}
}

// count brings the sum of all parts up to date.
func (r *rejoiner) count() {
	if r.hops == 0 {
		*r.total = *r.seen
	} else {
		*r.total = chat.Seen{
			Usage: r.base.Usage.Add(r.seen.Usage), Text: r.base.Text + r.seen.Text, Chunks: r.base.Chunks + r.seen.Chunks, Ended: r.seen.Ended,
		}
	}
	r.total.Ended = r.total.Ended && r.stop.Reason == 0
}

// take passes the events of one part on as those of the whole.
func (r *rejoiner) take(events []chat.Event) []chat.Event {
	if r.hops == 0 && len(r.held) == 0 && !ends(events) {
		r.follow(events)
		return events
	}
	r.out = r.out[:0]
	for i := range events {
		r.takeEvent(events[i])
	}
	return r.out
}

// ends reports whether the answer ends here, or a block that may go on.
func ends(events []chat.Event) bool {
	for i := range events {
		if e := &events[i]; e.Kind == chat.Finish || e.Kind == chat.Close && isTearable(e.Part.Kind) {
			return true
		}
	}
	return false
}

// follow remembers what is said, for upstreams that want it back.
func (r *rejoiner) follow(events []chat.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case chat.Open:
			r.said = append(r.said, e.Part)
			r.words.Reset()
		case chat.Delta:
			last := &r.said[len(r.said)-1]
			if r.size += len(e.Part.Text) + len(e.Part.Raw); r.size <= mostSaid {
				r.words.WriteString(e.Part.Text)
				last.Merge(&e.Part)
			}
			last.Proof = cmp.Or(e.Part.Proof, last.Proof)
		case chat.Close:
			r.said[len(r.said)-1].Text = r.words.String()
		}
	}
}

func (r *rejoiner) takeEvent(e chat.Event) {
	e.Block += r.first
	e.Part.MoveCitations(r.told)
	switch e.Kind {
	case chat.Start:
		if r.hops > 0 {
			return
		}
	case chat.Open:
		if r.hops > 0 && len(r.held) > 0 && e.Block == r.first && together(&r.said[len(r.said)-1], &e.Part) {
			r.held = r.held[:0] // it goes on where it was torn apart
			r.first--
			return
		}
		r.release()
	case chat.Close:
		if isTearable(e.Part.Kind) {
			r.follow([]chat.Event{e})
			r.held = append(r.held, e)
			return
		}
	case chat.Finish:
		if e.Stop.Reason == chat.Paused && r.hops < mostHops && (e.Stop.Sequence != "" || r.size <= mostSaid) {
			r.stop = e.Stop
			r.reply.Late = append(r.reply.Late, e.Notes...)
			return
		}
		if e.Stop.Reason == chat.Paused {
			e.Stop.Reason = chat.MaxTokens
			r.reply.Late = append(r.reply.Late, cutOff)
		}
		r.release()
		if r.hops > 0 {
			e.Usage = r.base.Usage.Add(e.Usage)
			e.Stop = chat.Settle(e.Stop, chat.HasKind(r.said, chat.ToolCall)) // of what was called before the pause as well
			r.err = whyEmpty(r.said, slices.Concat(r.reply.Late, r.late.Late, e.Notes))
		}
	}
	r.follow([]chat.Event{e})
	r.out = append(r.out, e)
}

// release lets the end of a block go out.
func (r *rejoiner) release() {
	r.out = append(r.out, r.held...)
	r.held = r.held[:0]
}

package sandbox

import (
	"context"
	"encoding/hex"
	"iter"

	"stele/internal/chat"
)

// step is one chunk of a stream: its events and what they count.
type step struct {
	events    []chat.Event
	words     int // told to the client
	output    int64
	reasoning int64
	last      bool
}

// tell is answers as a strict stream, one after the other and one word at a time, with
// all that was ordered to go wrong. What is told is noted in seen.
func (p *plan) tell(ctx context.Context, pace *patience, answers []answer, seen *chat.Seen) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		chunks, words := 0, 0
		for s := range p.steps(answers) {
			err := p.orders.runDuring(ctx, pace, chunks, words, s.last)
			if err == nil && words > 0 && s.words > 0 {
				err = pace.wait(ctx, p.orders.gap)
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(chat.Chunk{}, err)
				return
			}
			pace.begun = true
			chunks++
			words += s.words
			s.note(seen)
			if !yield(chat.Chunk{Events: s.events}, nil) {
				return
			}
		}
	}
}

// note counts a chunk.
func (s *step) note(seen *chat.Seen) {
	seen.Chunks++
	for i := range s.events {
		e := &s.events[i]
		seen.Text += len(e.Part.Text)
		if e.Kind == chat.Start || e.Kind == chat.Finish && !e.More {
			seen.Usage = e.Usage
			return
		}
	}
	seen.Usage.Output += s.output
	seen.Usage.Reasoning += s.reasoning
}

// steps is answers in chunks. Their events are good until the next.
func (p *plan) steps(answers []answer) iter.Seq[step] {
	return func(yield func(step) bool) {
		input := p.usage
		input.Output, input.Reasoning = 0, 0
		start := chat.Event{Kind: chat.Start, ID: "sandbox-" + hex.EncodeToString(p.prompt.sum[:12]), Model: Model, Usage: input}
		events := []chat.Event{start}
		if !yield(step{events: events}) {
			return
		}
		for n := range answers {
			for s := range answers[n].steps(events) {
				for i := range s.events {
					s.events[i].Answer = n
				}
				if !yield(s) {
					return
				}
			}
			end := chat.Event{Kind: chat.Finish, Answer: n, Stop: answers[n].stop, More: n+1 < len(answers)}
			if !end.More {
				end.Usage = p.usage
			}
			if !yield(step{events: append(events[:0], end), last: !end.More}) {
				return
			}
		}
	}
}

// steps is an answer in chunks, without its end.
func (a *answer) steps(events []chat.Event) iter.Seq[step] {
	return func(yield func(step) bool) {
		for i := range a.blocks {
			for s := range a.blocks[i].steps(i, events) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// steps is a block in chunks. It opens with its first piece and closes with its
// last; a proof comes after all words, by itself.
func (b *block) steps(at int, events []chat.Event) iter.Seq[step] {
	kind := b.part.Kind
	opened := chat.Event{Kind: chat.Open, Block: at, Part: chat.Part{Kind: kind, ID: b.part.ID, Name: b.part.Name, Custom: b.part.Custom}}
	closed := chat.Event{Kind: chat.Close, Block: at, Part: chat.Part{Kind: kind}}
	return func(yield func(step) bool) {
		told := b.pieces
		if b.untold {
			told = nil
		}
		for i, piece := range told {
			s := step{events: events[:0], words: 1, output: 1}
			if b.thought() {
				s.output, s.reasoning = 0, 1
			}
			if i == 0 {
				s.events = append(s.events, opened)
			}
			s.events = append(s.events, chat.Event{Kind: chat.Delta, Block: at, Part: chat.Part{Kind: kind, Custom: b.part.Custom, Text: piece}})
			if i == len(told)-1 && b.part.Proof == "" {
				s.events = append(s.events, closed)
			}
			if !yield(s) {
				return
			}
		}
		if b.part.Proof == "" {
			return
		}
		s := step{events: events[:0]}
		if len(told) == 0 {
			s.events, s.reasoning = append(s.events, opened), int64(len(b.pieces))
		}
		s.events = append(s.events, chat.Event{Kind: chat.Delta, Block: at, Part: chat.Part{Kind: kind, Proof: b.part.Proof}}, closed)
		yield(s)
	}
}

// answerWhole gives all the answers at once. They take as long as a stream of the first.
func (p *plan) answerWhole(ctx context.Context, pace *patience) (*chat.WholeReply, error) {
	pace.begun = true
	r, err := chat.Collect(p.tell(ctx, pace, p.answers[:1], new(chat.Seen)))
	if err != nil {
		return nil, err
	}
	for i := range p.answers[1:] {
		a := &p.answers[i+1]
		r.Answers = append(r.Answers, chat.Answer{Parts: a.parts(), Stop: a.stop})
	}
	if p.talk.Logprobs != nil {
		for i := range r.Answers {
			r.Answers[i].Logprobs = p.answers[i].logprobs(*p.talk.Logprobs)
		}
	}
	return r, nil
}

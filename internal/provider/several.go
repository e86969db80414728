package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/relay"
)

// mostAnswers is how many answers are asked for one by one.
const mostAnswers = 8

// askSeveral asks an upstream that gives one answer at a time for several, at the
// same time. What they used is summed; if one fails, all do.
func (c *Chat) askSeveral(ctx context.Context, req *chat.Request, t relay.Target, talk *chat.Conversation) (*chat.Reply, error) {
	switch {
	case req.Stream:
		return nil, refuseN("the model's provider gives one answer at a time, and several are not streamed side by side: ask without stream, or once for each.")
	case talk.N > mostAnswers:
		return nil, refuseN(fmt.Sprintf("the model's provider gives one answer at a time, and no more than %d are asked for.", mostAnswers))
	}
	one := *talk
	one.N = 0
	single := req.With(&one)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	replies := make([]*chat.Reply, talk.N)
	var calls sync.WaitGroup
	for i := range replies {
		calls.Go(func() {
			reply, err := c.askWhole(ctx, single, t, attempt{})
			if err != nil {
				cancel(err) // the first counts
			}
			replies[i] = reply
		})
	}
	calls.Wait()
	if ctx.Err() != nil {
		return nil, withUsed(context.Cause(ctx), replies...)
	}
	whole := replies[0]
	for _, r := range replies[1:] {
		whole.Whole.Answers = append(whole.Whole.Answers, r.Whole.Answers...)
		whole.Whole.Usage = whole.Whole.Usage.Add(r.Whole.Usage)
		whole.Dropped = append(whole.Dropped, newLosses(whole.Dropped, r.Dropped)...)
	}
	return whole, nil
}

// tellMissing passes a stream of answers on, and tells where there are fewer than were asked for.
func (x *exchange) tellMissing(strict chat.Stream, asked int) chat.Stream {
	if asked == 1 {
		return strict
	}
	return func(yield func(chat.Chunk, error) bool) {
		came := 0
		for chunk, err := range strict {
			for i := range chunk.Events {
				e := &chunk.Events[i]
				if e.Kind != chat.Finish {
					continue
				}
				if came++; !e.More {
					x.reply.Late = append(x.reply.Late, missingAnswers(came, asked)...)
				}
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// keepAsked leaves out answers that were not asked for, and tells of those that are missing.
func (x *exchange) keepAsked(r *chat.WholeReply) []chat.Loss {
	asked := x.askedAnswers()
	if asked == 1 {
		joinCalls(r)
	}
	if n := len(r.Answers); n <= asked {
		return missingAnswers(n, asked)
	}
	r.Answers = r.Answers[:asked]
	return []chat.Loss{unwanted}
}

// joinCalls makes one answer of several that are parts of it: GitHub's Copilot puts what a model says into one choice, and
// each of its calls into another.
func joinCalls(r *chat.WholeReply) {
	if len(r.Answers) < 2 || slices.ContainsFunc(r.Answers[0].Parts, isCall) {
		return
	}
	parts := r.Answers[0].Parts
	for _, a := range r.Answers[1:] {
		if len(a.Parts) == 0 || slices.ContainsFunc(a.Parts, func(p chat.Part) bool { return !isCall(p) }) {
			return
		}
		parts = append(parts, a.Parts...)
	}
	first := &r.Answers[0]
	first.Parts, first.Stop = parts, chat.Settle(first.Stop, true)
	r.Answers = r.Answers[:1]
}

func isCall(p chat.Part) bool { return p.Kind == chat.ToolCall }

// split is joinCalls for a stream: what is known of the answers so far.
type split struct {
	called bool         // the first one calls by itself
	spoke  map[int]bool // those that say more than calls
}

// join makes a call that stands in an answer of its own one of the first answer's.
func (s *split) join(e *chat.Event) {
	switch {
	case e.Kind != chat.Delta:
	case e.Answer == 0:
		s.called = s.called || e.Part.Kind == chat.ToolCall
	case e.Part.Kind != chat.ToolCall:
		if s.spoke == nil {
			s.spoke = make(map[int]bool)
		}
		s.spoke[e.Answer] = true
	case !s.called && !s.spoke[e.Answer]:
		e.Block += e.Answer << 32 // each answer has its own numbers
		e.Answer = 0
	}
}

// leaveOut leaves out answers that were not asked for: upstreams may give more. Events are
// large, so they are looked at where they lie.
func (s *source) leaveOut() {
	more, lost := false, false
	for i := range s.events {
		e := &s.events[i]
		if s.answers == 1 {
			s.split.join(e)
		}
		if e.Answer >= s.answers {
			more, lost = true, lost || e.Kind == chat.Delta
			s.reply.Late = append(s.reply.Late, e.Notes...)
		}
	}
	if !more {
		return
	}
	s.events = slices.DeleteFunc(s.events, func(e chat.Event) bool { return e.Answer >= s.answers })
	if lost && !s.unwanted {
		s.unwanted = true
		s.reply.Late = append(s.reply.Late, unwanted)
	}
}

// unwanted is what is lost where an upstream gives more answers than it was asked for.
var unwanted = chat.Lost(chat.FieldAnswer, chat.Dropped, "answers that were not asked for")

// missingAnswers is what is lost where an upstream gives fewer answers than it was asked for.
func missingAnswers(came, asked int) []chat.Loss {
	if came >= asked {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldN, chat.Dropped, fmt.Sprintf("the model's provider gave %d of %d answers", came, asked))}
}

func refuseN(why string) error {
	return dialect.Refuse(chat.Lost(chat.FieldN, chat.Dropped, ""), chat.FieldN, why)
}

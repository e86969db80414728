package provider

import (
	"context"
	"fmt"
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
		whole.Response.Answers = append(whole.Response.Answers, r.Response.Answers...)
		whole.Response.Usage = whole.Response.Usage.Add(r.Response.Usage)
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
func (x *exchange) keepAsked(r *chat.Response) []chat.Loss {
	asked := x.askedAnswers()
	if n := len(r.Answers); n <= asked {
		return missingAnswers(n, asked)
	}
	r.Answers = r.Answers[:asked]
	return []chat.Loss{unwanted}
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

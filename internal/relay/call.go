package relay

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/scope"
	"stele/internal/trace"
	"stele/internal/uid"
)

// call is a turn that is being counted.
type call struct {
	relay   *Relay
	asker   context.Context // the caller's
	scope   *scope.Request
	start   time.Time
	body    int // bytes of the request
	request *chat.Request
	model   *catalog.Model
	reply   *chat.Reply
	mind    recollection
	once    sync.Once
	record  meter.Record

	used   chat.Usage
	told   *int64 // what the client is told that it cost; nil: not yet, or not known
	tags   []access.Tag
	hold   limit.Hold          // what the try may take
	quoted catalog.Target      // that the hold is of
	quote  catalog.TargetPrice // at which it was reckoned
	owed   bool                // the last try was lost while its upstream was at work: it may bill what was not heard
	wasted *chat.Usage         // what it used of an answer that was of no use; nil: that is not known
	began  time.Time           // the try that is being made
	span   trace.Span          // of it, or of the one that served
	failed []meter.Try         // those before it
}

// noteServed takes over who answered, and of a whole reply what it used.
func (c *call) noteServed(reply *chat.Reply) {
	c.reply = reply
	now := c.relay.Now()
	c.record.FirstByte = now.Sub(c.start)
	c.record.Provider, c.record.Target = reply.Provider, reply.Target
	reply.Limits = c.hold.Standings(now)
	end := c.relay.Catalog.End(c.model)
	reply.Ends = chat.Ending{Known: end.Known, On: end.On}
	if reply.Whole == nil {
		c.describe()
		return
	}
	reply.Dropped = append(reply.Dropped, c.noteLosses(reply.Whole)...)
	c.describe()
	c.count(reply.Whole.Seen().UsageToMeter(c.body))
	reply.Whole.Usage = c.used // what is booked is what the client is told
}

// count takes over what was used.
func (c *call) count(u chat.Usage) {
	c.record.Count(u)
	c.used = u
}

// price says in a record what its target takes for what was used.
func (c *call) price(r *meter.Record, u chat.Usage) {
	t := catalog.Target{Provider: r.Provider, Model: r.Target}
	p := c.quote
	// No hold was made of this target, as where there are no limits.
	if c.quoted.Provider != t.Provider || c.quoted.Model != t.Model {
		p = c.relay.Catalog.Price(c.model, t, c.start)
	}
	cost := c.relay.Catalog.CostAt(p, t, u, c.start)
	r.Nano, r.Priced, r.Rates = cost.Nano, cost.Known, cost.Rates
	r.PriceSource, r.PriceVersion = cost.Source, cost.Version
}

// try begins a try at a target, which has the context it returns.
func (c *call) try(ctx context.Context, provider, target string) context.Context {
	c.record.Provider, c.record.Target = provider, target
	c.began = c.start
	if len(c.failed) > 0 {
		c.began = c.relay.Now()
	}
	return c.startTry(ctx, provider, target)
}

// noteMissed notes that a try failed.
func (c *call) noteMissed(err error) {
	_, code := statusOf(err)
	c.endTry(code)
	c.wasted = nil
	if spoilt, ok := errors.AsType[*chat.Spoilt](err); ok {
		c.wasted = &spoilt.Usage
	}
	if c.owed = code == clientGone || fault.From(err).Owed; !c.owed {
		c.hold.Release()
	}
	c.failed = append(c.failed, meter.Try{
		Provider: c.record.Provider, Target: c.record.Target, Code: code, Took: c.relay.Now().Sub(c.began),
	})
}

// bookLost books the last try by estimate, in a record of its own, where it was lost while
// its upstream was at work and another one follows: a record has one target, and its price.
func (c *call) bookLost() {
	if !c.owed {
		return
	}
	c.owed = false
	last := c.failed[len(c.failed)-1]
	lost := c.record
	lost.ID, lost.At, lost.Took, lost.Tries = uid.New("use"), c.began, last.Took, 1
	lost.Status, lost.Code = fault.Code(last.Code).ChatStatus(), last.Code
	c.estimate(&lost)
	c.charge(&lost)
	c.keep(&lost)
}

// estimate counts what an upstream was sent, where what it answered is not known.
func (c *call) estimate(r *meter.Record) {
	u := chat.Usage{Input: chat.Estimate(c.body)}
	if c.wasted != nil {
		u = *c.wasted
	}
	r.Count(u)
	c.price(r, u)
}

// trail is the tries, where there was more than the one that the record tells of.
func (c *call) trail() string {
	if c.record.Tries < 2 {
		return ""
	}
	tries := c.failed
	if c.reply != nil {
		tries = append(tries, meter.Try{
			Provider: c.record.Provider, Target: c.record.Target, Took: c.start.Add(c.record.FirstByte).Sub(c.began),
		})
	}
	return meter.Trail(tries)
}

// whyRevoked is why a call failed whose caller lost the right to it; nil where that is not why.
func (c *call) whyRevoked(err error) error {
	if err == nil {
		return nil
	}
	if e := access.WhyEnded(c.asker); e != nil {
		return e
	}
	return nil
}

func (c *call) fail(err error) { c.record.Status, c.record.Code = statusOf(err) }

// clientGone is the code of a call whose client did not wait for the answer.
const clientGone = "client_gone"

// owesLost reports whether an upstream was at work when the client left, the time was up
// or the connection broke: what it was sent is owed, and what it answered is not known.
func (c *call) owesLost() bool { return c.reply == nil && c.owed && c.model != nil }

// statusOf is how the record tells of a failure.
func statusOf(err error) (status int, code string) {
	if errors.Is(err, context.Canceled) && !errors.Is(err, access.ErrEnded) {
		return fault.StatusClientGone, clientGone
	}
	c := fault.From(err).Code
	return c.ChatStatus(), string(c)
}

// watch counts a stream while it passes. The record is written before its last
// bytes are: a client that has the whole answer finds its row, whatever happens next.
func (c *call) watch(stream chat.Stream) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		defer c.settle()
		var seen outline
		for chunk, err := range stream {
			if ended := c.whyRevoked(err); ended != nil {
				c.fail(ended)
			} else if err != nil {
				c.fail(err)
				c.relay.Router.NoteBroken(c.record.Provider, fault.New(fault.Code(c.record.Code), "The stream broke."))
			}
			if !c.reply.Passed {
				seen.follow(chunk.Events)
			}
			if err == nil && c.request.Origin.Cost {
				c.tell(&chunk)
			}
			if err == nil && c.ends(&chunk) {
				c.noteLate(&seen)
				c.settle()
				c.tellUsed(&chunk)
			}
			if !yield(chunk, err) {
				if err == nil {
					c.record.Status, c.record.Code = fault.StatusClientGone, clientGone
				}
				return
			}
		}
	}
}

// ends reports whether nothing that counts comes after a chunk. Of frames that
// pass through their reader tells: an OpenAI's usage follows on its finish.
func (c *call) ends(chunk *chat.Chunk) bool {
	if c.reply.Passed && c.reply.Seen != nil {
		return c.reply.Seen.Ended
	}
	n := len(chunk.Events)
	return n > 0 && chunk.Events[n-1].Kind == chat.Finish && !chunk.Events[n-1].More
}

// settle writes the record, once.
func (c *call) settle() {
	c.once.Do(func() {
		c.record.Took = c.relay.Now().Sub(c.start)
		switch {
		case c.reply != nil && c.reply.Seen != nil && c.record.Code != "":
			c.count(c.reply.Seen.UsageSoFar(c.body))
		case c.reply != nil && c.reply.Seen != nil:
			c.count(c.reply.Seen.UsageToMeter(c.body))
		case c.owesLost():
			c.estimate(&c.record)
		}
		if c.model != nil && c.reply != nil {
			c.price(&c.record, c.used)
			c.reply.Nano, c.reply.Priced = c.record.Nano, c.record.Priced
		}
		c.charge(&c.record)
		c.traceUsage()
		c.record.Path = c.trail()
		if c.record.Asked != "" {
			c.scope.Note(slog.String("asked", c.record.Asked))
		}
		c.scope.Note(
			slog.String("model", c.record.Model), slog.String("provider", c.record.Provider), slog.String("target", c.record.Target),
			slog.Int("tries", c.record.Tries), slog.Int64("input_tokens", c.record.Input+c.record.CacheRead+c.record.CacheWrite),
			slog.Int64("output_tokens", c.record.Output+c.record.Reasoning),
		)
		c.keep(&c.record)
	})
}

func (c *call) keep(r *meter.Record) {
	if err := c.relay.Keeper.Keep(r); err != nil {
		c.relay.Log.LogAttrs(c.asker, slog.LevelError, "usage not recorded", slog.String("request_id", r.Request), slog.Any("error", err))
	}
}

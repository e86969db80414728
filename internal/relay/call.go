package relay

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/scope"
)

// call is a turn that is being counted.
type call struct {
	relay  *Relay
	ctx    context.Context // never ends
	scope  *scope.Request
	start  time.Time
	body   int // bytes of the request
	model  *catalog.Model
	reply  *chat.Reply
	once   sync.Once
	record meter.Record
}

// served takes over who answered, and of a whole reply what it used.
func (c *call) served(reply *chat.Reply) {
	c.reply = reply
	c.record.FirstByte = c.relay.Now().Sub(c.start)
	c.record.Provider, c.record.Target = reply.Provider, reply.Target
	if len(reply.Dropped) > 0 && c.relay.Describe != nil {
		c.record.Dropped = c.relay.Describe(c.record.Dialect, reply.Dropped)
	}
	if reply.Response == nil {
		return
	}
	seen := chat.Seen{Usage: reply.Response.Usage}
	for _, answer := range reply.Response.Answers {
		for i := range answer.Parts {
			seen.Text += len(answer.Parts[i].Text)
		}
	}
	c.record.Count(seen.Settled(c.body))
}

func (c *call) fail(err error) {
	if errors.Is(err, context.Canceled) {
		c.record.Status, c.record.Code = 499, "client_gone"
		return
	}
	code := fault.From(err).Code
	if errors.Is(err, chat.ErrCut) || errors.Is(err, chat.ErrHeld) {
		code = fault.UpstreamError
	} else if _, strict := errors.AsType[interface {
		error
		Losses() []chat.Loss
	}](err); strict {
		code = fault.StrictMode
	}
	c.record.Status, c.record.Code = code.ChatStatus(), string(code)
}

// watch counts a stream while it passes. The record is written before its last
// bytes are: whoever has the whole answer finds its row, whatever happens next.
func (c *call) watch(stream chat.Stream) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		defer c.settle()
		for chunk, err := range stream {
			if err != nil {
				c.fail(err)
			}
			if err == nil && c.ends(&chunk) {
				c.settle()
			}
			if !yield(chunk, err) {
				if err == nil {
					c.record.Status, c.record.Code = 499, "client_gone"
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
	return n > 0 && chunk.Events[n-1].Kind == chat.Finish
}

// settle writes the record, once.
func (c *call) settle() {
	c.once.Do(func() {
		c.record.Took = c.relay.Now().Sub(c.start)
		if c.reply != nil && c.reply.Seen != nil {
			c.record.Count(c.reply.Seen.Settled(c.body))
		}
		if c.model != nil && c.reply != nil {
			usage := chat.Usage{
				Input: c.record.Input, CacheRead: c.record.CacheRead, CacheWrite: c.record.CacheWrite,
				CacheWrite1h: c.record.CacheWrite1h, Output: c.record.Output, Reasoning: c.record.Reasoning,
			}
			c.record.Nano, c.record.Priced = c.model.Price.Cost(usage)
		}
		c.scope.Note(
			slog.String("model", c.record.Model), slog.String("provider", c.record.Provider), slog.String("target", c.record.Target),
			slog.Int("tries", c.record.Tries), slog.Int64("input_tokens", c.record.Input+c.record.CacheRead+c.record.CacheWrite),
			slog.Int64("output_tokens", c.record.Output+c.record.Reasoning),
		)
		if err := c.relay.Keeper.Keep(&c.record); err != nil {
			c.relay.Log.LogAttrs(c.ctx, slog.LevelError, "usage not recorded", slog.String("request_id", c.record.Request), slog.Any("error", err))
		}
	})
}

package relay

import (
	"context"

	"stele/internal/trace"
)

// startTry begins the span of a try at a target, where the request is traced.
func (c *call) startTry(ctx context.Context, provider, target string) context.Context {
	ctx, c.span = trace.Start(ctx, "chat", target)
	if c.span.On() {
		c.span.Text(trace.Operation, "chat")
		c.span.Text(trace.Provider, provider)
		c.span.Text(trace.RequestModel, target)
		if c.request.Stream {
			c.span.Flag(trace.RequestStream)
		}
	}
	return ctx
}

// endTry ends the span of a try that failed with a code, or of the one that served.
func (c *call) endTry(code string) {
	if code != "" {
		c.span.Fail(code)
	}
	c.span.End()
	c.span = trace.Span{}
}

// traceUsage says of the try that served what was used, and of the request what it came to.
func (c *call) traceUsage() {
	r := &c.record
	if c.span.On() {
		c.span.Text(trace.ResponseModel, r.Target)
		c.span.Number(trace.InputTokens, r.Input+r.CacheRead+r.CacheWrite)
		c.span.Number(trace.OutputTokens, r.Output+r.Reasoning)
		c.span.Number(trace.CacheReadTokens, r.CacheRead)
		c.span.Number(trace.CacheMadeTokens, r.CacheWrite)
		c.span.Number(trace.ReasoningTokens, r.Reasoning)
		if r.Stream {
			c.span.Seconds(trace.FirstChunk, c.start.Add(r.FirstByte).Sub(c.began))
		}
	}
	c.endTry(r.Code)
	if whole := trace.From(c.asker); whole.On() {
		whole.Text(trace.Workspace, r.Workspace)
		whole.Text(trace.Model, r.Model)
		whole.Number(trace.Tries, int64(r.Tries))
		if r.Priced {
			whole.Fraction(trace.Cost, float64(r.Nano)/1e9)
		}
	}
}

package relay

import (
	"context"

	"stele/internal/trace"
)

// startTry begins the span of a try at a target, where the request is traced.
func (c *call) startTry(ctx context.Context, provider, target string) context.Context {
	ctx, c.span = trace.Start(ctx, "chat", target)
	if c.span.On() {
		c.span.Note(trace.Text(trace.Provider, provider), trace.Text(trace.RequestModel, target), trace.Flag(trace.RequestStream, c.request.Stream))
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
		c.span.Note(
			trace.Text(trace.ResponseModel, r.Target),
			trace.Number(trace.InputTokens, r.Input+r.CacheRead+r.CacheWrite),
			trace.Number(trace.OutputTokens, r.Output+r.Reasoning),
			trace.Number(trace.CacheReadTokens, r.CacheRead),
			trace.Number(trace.CacheMadeTokens, r.CacheWrite),
			trace.Number(trace.ReasoningTokens, r.Reasoning),
		)
		if r.Stream {
			c.span.Note(trace.Fraction(trace.FirstChunk, c.start.Add(r.FirstByte).Sub(c.began).Seconds()))
		}
	}
	c.endTry(r.Code)
	if whole := trace.From(c.asker); whole.On() {
		whole.Note(trace.Text(trace.Workspace, r.Workspace), trace.Text(trace.Model, r.Model), trace.Number(trace.Tries, int64(r.Tries)))
		if r.Priced {
			whole.Note(trace.Fraction(trace.Cost, float64(r.Nano)/1e9))
		}
	}
}

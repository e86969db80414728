package relay

import (
	"context"
	"log/slog"

	"stele/internal/trace"
)

// startTry begins the span of a try at a target, where the request is traced.
func (c *call) startTry(ctx context.Context, provider, target string) context.Context {
	ctx, c.span = trace.Start(ctx, "chat", target)
	if c.span.On() {
		c.span.Note(slog.String(trace.Provider, provider), slog.String(trace.RequestModel, target), slog.Bool(trace.RequestStream, c.request.Stream))
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
			slog.String(trace.ResponseModel, r.Target),
			slog.Int64(trace.InputTokens, r.Input+r.CacheRead+r.CacheWrite),
			slog.Int64(trace.OutputTokens, r.Output+r.Reasoning),
			slog.Int64(trace.CacheReadTokens, r.CacheRead),
			slog.Int64(trace.CacheMadeTokens, r.CacheWrite),
			slog.Int64(trace.ReasoningTokens, r.Reasoning),
		)
		if r.Stream {
			c.span.Note(slog.Float64(trace.FirstChunk, c.start.Add(r.FirstByte).Sub(c.began).Seconds()))
		}
	}
	c.endTry(r.Code)
	if whole := trace.From(c.asker); whole.On() {
		whole.Note(slog.String(trace.Workspace, r.Workspace), slog.String(trace.Model, r.Model), slog.Int64(trace.Tries, int64(r.Tries)))
		if r.Priced {
			whole.Note(slog.Float64(trace.Cost, float64(r.Nano)/1e9))
		}
	}
}

package console

import (
	"time"

	"stele/internal/meter"
)

// compared are the figures of a range with what changed since the one before.
func compared(now, then meter.Figures) []tally {
	of := func(name string, n, before int64, text func(int64) string) tally {
		return tally{Name: name, Value: text(n), Exact: grouped(n), Change: change(float64(n), float64(before))}
	}
	list := []tally{
		of("Requests", now.Requests, then.Requests, short),
		of("Input tokens", now.Input+now.CacheWrite, then.Input+then.CacheWrite, short),
		of("Cached input", now.CacheRead, then.CacheRead, short),
		of("Output tokens", now.Output, then.Output, short),
		of("Reasoning tokens", now.Reasoning, then.Reasoning, short),
		of("Cost", now.Nano, then.Nano, money),
	}
	list[1].Hint = "read afresh or written to a cache"
	list[5].Exact = dollars(now.Nano)
	rate := func(f meter.Figures) float64 { return float64(f.Failed) / max(float64(f.Requests), 1) }
	mean := func(f meter.Figures) time.Duration { return f.Took / time.Duration(max(f.Requests, 1)) }
	failing := tally{Name: "Error rate", Value: share(now.Failed, now.Requests), Exact: many(now.Failed, "failed request", "failed requests")}
	slow := tally{Name: "Mean time", Value: spent(mean(now)), Exact: "from the request to the end of its answer"}
	if then.Requests > 0 && now.Requests > 0 {
		failing.Change, failing.Tone = points(rate(now), rate(then))
		slow.Change = change(float64(mean(now)), float64(mean(then)))
	}
	return append(list, failing, slow)
}

// change is how a figure differs from what it was, in percent.
func change(now, then float64) string {
	switch {
	case then == 0:
		return ""
	case now == then:
		return "unchanged"
	}
	p := (now - then) / then * 100
	switch {
	case p > 999:
		return "+>999%"
	case p >= 0.5:
		return "+" + trimmed(p) + "%"
	case p <= -0.5:
		return "−" + trimmed(-p) + "%"
	}
	return "about the same"
}

// points is how a rate differs, in points of a percent; more failures are bad.
func points(now, then float64) (text, tone string) {
	d := (now - then) * 100
	switch {
	case d >= 0.05:
		return "+" + trimmed(d) + " points", "bad"
	case d <= -0.05:
		return "−" + trimmed(-d) + " points", "good"
	}
	return "about the same", ""
}

package usage

import (
	"time"

	"stele/internal/console/page"
	"stele/internal/meter"
)

// compared are the figures of a range with what changed since the one before.
func compared(now, then meter.Figures) []page.Tally {
	of := func(name string, n, before int64, text func(int64) string) page.Tally {
		return page.Tally{Name: name, Value: text(n), Exact: page.Grouped(n), Change: change(float64(n), float64(before))}
	}
	list := []page.Tally{
		of("Requests", now.Requests, then.Requests, page.Short),
		of("Input tokens", now.Input+now.CacheWrite, then.Input+then.CacheWrite, page.Short),
		of("Cached input", now.CacheRead, then.CacheRead, page.Short),
		of("Output tokens", now.Output, then.Output, page.Short),
		of("Reasoning tokens", now.Reasoning, then.Reasoning, page.Short),
		of("Cost", now.Nano, then.Nano, page.Money),
	}
	list[1].Hint = "read afresh or written to a cache"
	list[5].Exact = page.Dollars(now.Nano)
	rate := func(f meter.Figures) float64 { return float64(f.Failed) / max(float64(f.Requests), 1) }
	mean := func(f meter.Figures) time.Duration { return f.Took / time.Duration(max(f.Requests, 1)) }
	failing := page.Tally{Name: "Error rate", Value: page.Share(now.Failed, now.Requests), Exact: page.Many(now.Failed, "failed request", "failed requests")}
	slow := page.Tally{Name: "Mean time", Value: page.Spent(mean(now)), Exact: "from the request to the end of its answer"}
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
		return "+" + page.Trimmed(p) + "%"
	case p <= -0.5:
		return "−" + page.Trimmed(-p) + "%"
	}
	return "about the same"
}

// points is how a rate differs, in points of a percent; more failures are bad.
func points(now, then float64) (text, tone string) {
	d := (now - then) * 100
	switch {
	case d >= 0.05:
		return "+" + page.Trimmed(d) + " points", "bad"
	case d <= -0.05:
		return "−" + page.Trimmed(-d) + " points", "good"
	}
	return "about the same", ""
}

package seen

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// figures are those of one model, or of all that are not told apart.
type figures struct {
	Requests, Input, CacheRead, CacheWrite, Output, Reasoning int64
	Nano                                                      int64
}

const several = 198 // models, beside two others

// models are so many, spread over the upstreams, and one whose first target fails.
func models() string {
	var b strings.Builder
	for i := range several {
		away := rig.Dialects[i%len(rig.Dialects)]
		fmt.Fprintf(&b, "  m-%d: {targets: [%s/%s-m%[1]d], retries: 0, price: {input: 3.00, cached_input: 0.30, cache_write: 3.75, output: 15.00}}\n", i, away, rig.UsualModel[away])
	}
	fmt.Fprintf(&b, "  falls: {targets: [openai/%s-falls, anthropic/%s-falls], retries: 0}\n", rig.UsualModel["openai"], rig.UsualModel["anthropic"])
	return b.String()
}

// TestFiguresAreThoseOfTheRows uses two hundred models for chats, streams, fallbacks and
// what clients do not wait for, and makes pictures: the figures of a scrape are the sums of
// the rows of usage, to the token and the billionth of a dollar, in 2,000 series at most.
func TestFiguresAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	metrics := rig.FreePort(t)
	r := rig.NewFront(t, "metrics: {listen: \""+metrics+"\"}\n", models())
	r.On("openai", rig.UsualModel["openai"]+"-falls", upstream.Overloaded())
	for i := range several {
		away := rig.Dialects[i%len(rig.Dialects)]
		r.Good(t, rig.Ask(away, fmt.Sprintf("m-%d", i), strings.Repeat("word ", i%7+1), i%2 == 0))
	}
	r.Good(t, rig.Ask("openai", "falls", "hi", true))
	if h := r.Hear(t, rig.Ask("openai", "made-up-by-a-client", "hi", false)); h.Status != http.StatusNotFound {
		t.Errorf("%d %s", h.Status, h.Body)
	}
	r.On("openai", rig.UsualModel["openai"]+"-m0", upstream.Endless())
	leaveEarly(t, r, rig.Ask("openai", "m-0", "hi", true))
	for _, prompt := range []string{"a", "b [[sandbox: fail]]"} {
		a := r.Post(t, "/api/v1/generations", r.Key, fmt.Sprintf(`{"model":"stele/sandbox-image","mode":"text_to_image","prompt":%q}`, prompt))
		if a.Status != http.StatusCreated {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	rows := r.Read(t, "")
	const requests = several + 5
	var text string
	rig.Eventually(t, "all rows are written and counted", func() bool {
		text = scrape(t, metrics)
		return strings.Count(text, "\nstele_model_requests_total{") > 0 && sum(booked(t, rows)).Requests == requests && sum(counted(t, text)).Requests == requests
	})
	got, want := counted(t, text), booked(t, rows)
	for model, f := range want {
		if got[model] != f {
			t.Errorf("%s: the metrics say %+v, the rows %+v", model, got[model], f)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d models are counted, %d used", len(got), len(want))
	}
	if series := len(regexp.MustCompile(`(?m)^[a-z]`).FindAllString(text, -1)); series > 2000 {
		t.Errorf("%d series", series)
	} else {
		t.Log(series, "series")
	}
	for _, want := range []string{
		`stele_provider_errors_total{class="unavailable",provider="openai"} 1`, `stele_generations_total{end="succeeded",model="stele/sandbox-image"} 1`,
		`stele_generations_total{end="failed",model="stele/sandbox-image"} 1`, `stele_model_requests_total{model="none"} 1`,
		`stele_breaker_state{provider="openai"} 0`, `stele_webhooks_waiting 0`, `stele_budgets_nearly_used 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "made-up-by-a-client") {
		t.Error("what a client wrote became a label")
	}
}

// leaveEarly asks and goes away after the first bytes of the answer.
func leaveEarly(t *testing.T, r *rig.Front, w rig.Wish) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	answer, err := r.Client.Do(r.RequestFor(t, w).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.ReadFull(answer.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
}

// scrape is what Prometheus gets.
func scrape(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics") //nolint:noctx // it is our own
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var ofModel = regexp.MustCompile(`^stele_(tokens_total|cost_usd_total|model_requests_total)\{(?:class="([a-z_]+)",)?model="([^"]+)"\} (\S+)$`)

// counted reads the figures of models out of a scrape.
func counted(t *testing.T, text string) map[string]figures {
	t.Helper()
	all := make(map[string]figures)
	for line := range strings.Lines(text) {
		m := ofModel.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		f := all[m[3]]
		switch m[1] + m[2] {
		case "model_requests_total":
			f.Requests = int64(n)
		case "cost_usd_total":
			f.Nano = int64(n*1e9 + 0.5)
		case "tokens_totalinput":
			f.Input = int64(n)
		case "tokens_totalcache_read":
			f.CacheRead = int64(n)
		case "tokens_totalcache_write":
			f.CacheWrite = int64(n)
		case "tokens_totaloutput":
			f.Output = int64(n)
		case "tokens_totalreasoning":
			f.Reasoning = int64(n)
		default:
			t.Fatal(line)
		}
		all[m[3]] = f
	}
	return all
}

// booked reads the same out of the days that the usage page shows.
func booked(t *testing.T, rows rig.Books) map[string]figures {
	t.Helper()
	all := make(map[string]figures)
	rows(t, `SELECT model, SUM(requests), SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano) FROM usage_days GROUP BY model`, nil,
		func(scan func(...any) error) error {
			var model string
			var f figures
			err := scan(&model, &f.Requests, &f.Input, &f.CacheRead, &f.CacheWrite, &f.Output, &f.Reasoning, &f.Nano)
			if model == "(unknown)" {
				model = "none"
			}
			all[model] = f
			return err
		})
	return all
}

func sum(all map[string]figures) (f figures) {
	for _, g := range all {
		f.Requests += g.Requests
	}
	return f
}

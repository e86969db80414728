package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/fault"
)

var standings = []fault.Standing{
	{Policy: fault.NewPolicy("the key's", "dollars", 5e9, time.Hour), Left: 1, Reset: time.Minute},
	{Policy: fault.NewPolicy(`rät"e`, "requests", 100, time.Minute), Left: 40, Reset: 1500 * time.Millisecond},
	{Policy: fault.NewPolicy("all", "requests", 1000, 0), Left: 10},
	{Policy: fault.NewPolicy("tokens", "tokens", 5000, 24*time.Hour), Left: 4772, Reset: 21*time.Hour + 15*time.Minute + 4264*time.Millisecond},
	{Policy: fault.NewPolicy("at once", "concurrent", 3, 0), Left: 1},
}

func TestHeadersSayHowLimitsStand(t *testing.T) {
	t.Parallel()
	draft := http.Header{
		"Ratelimit-Policy": {`"r?t?e";q=100;w=60, "tokens";q=5000;w=86400`},
		"Ratelimit":        {`"r?t?e";r=40;t=2, "tokens";r=4772;t=76505`},
	}
	for family, own := range map[string]http.Header{
		gemini.name: {},
		openAI.name: {
			"X-Ratelimit-Limit-Requests": {"1000"}, "X-Ratelimit-Remaining-Requests": {"10"}, "X-Ratelimit-Reset-Requests": {"0s"},
			"X-Ratelimit-Limit-Tokens": {"5000"}, "X-Ratelimit-Remaining-Tokens": {"4772"}, "X-Ratelimit-Reset-Tokens": {"21h15m4.264s"},
		},
		anthropic.name: {
			"Anthropic-Ratelimit-Requests-Limit": {"1000"}, "Anthropic-Ratelimit-Requests-Remaining": {"10"},
			"Anthropic-Ratelimit-Tokens-Limit": {"5000"}, "Anthropic-Ratelimit-Tokens-Remaining": {"4772"},
		},
	} {
		w := httptest.NewRecorder()
		sayLimits(headOf(w), family, standings)
		got := w.Header()
		for _, measure := range []string{"Requests", "Tokens"} {
			name := "Anthropic-Ratelimit-" + measure + "-Reset"
			if _, err := time.Parse(time.RFC3339, got.Get(name)); (err == nil) != (family == anthropic.name) {
				t.Errorf("%s of %s: %q", name, family, got.Get(name))
			}
			got.Del(name)
		}
		for name, values := range draft {
			own[name] = values
		}
		if diff := cmp.Diff(own, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", family, diff)
		}
	}
}

// takesLines is an answer whose connection takes header lines.
type takesLines struct {
	http.ResponseWriter
	lines []byte
}

func (w *takesLines) HeaderRoom() *[]byte {
	w.lines = w.lines[:0]
	return &w.lines
}

func TestSayingHowLimitsStandAllocatesNothing(t *testing.T) {
	w := &takesLines{ResponseWriter: httptest.NewRecorder()}
	a := &startedWriter{ResponseWriter: w}
	if n := testing.AllocsPerRun(100, func() { sayLimits(headOf(a), openAI.name, standings) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
	if len(w.Header()) > 0 || len(w.lines) == 0 {
		t.Errorf("%d headers, lines %q", len(w.Header()), w.lines)
	}
}

func TestDurationsAreWrittenAsGoWritesThem(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{
		0, time.Microsecond, time.Millisecond, 264 * time.Millisecond, 999_600 * time.Microsecond, time.Second, 1050 * time.Millisecond, 4264 * time.Millisecond,
		10 * time.Second, 59_999_600 * time.Microsecond, time.Minute, 61200 * time.Millisecond, time.Hour, time.Hour + time.Second, 21*time.Hour + 15*time.Minute + 4264*time.Millisecond, 744 * time.Hour,
	} {
		if got, want := string(appendDuration(nil, d)), d.Round(time.Millisecond).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func BenchmarkSayLimits(b *testing.B) {
	w := &takesLines{ResponseWriter: httptest.NewRecorder()}
	b.ReportAllocs()
	for b.Loop() {
		sayLimits(headOf(w), openAI.name, standings)
	}
}

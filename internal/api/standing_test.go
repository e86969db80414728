package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/fault"
	"stele/internal/race"
)

var standings = []fault.Standing{
	{Name: "the key's", Measure: "dollars", Amount: 5e9, Left: 1, Window: time.Hour, Reset: time.Minute},
	{Name: `rät"e`, Measure: "requests", Amount: 100, Left: 40, Window: time.Minute, Reset: 1500 * time.Millisecond},
	{Name: "all", Measure: "requests", Amount: 1000, Left: 10},
	{Name: "tokens", Measure: "tokens", Amount: 5000, Left: 4772, Window: 24 * time.Hour, Reset: 21*time.Hour + 15*time.Minute + 4264*time.Millisecond},
	{Name: "at once", Measure: "concurrent", Amount: 3, Left: 1},
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
		sayLimits(w, family, standings)
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

func (w *takesLines) HeaderLines(lines []byte) bool {
	w.lines = append(w.lines[:0], lines...)
	return true
}

func TestSayingHowLimitsStandAllocatesNothing(t *testing.T) {
	race.Skip(t, "pools lose what they are given")
	w := &takesLines{ResponseWriter: httptest.NewRecorder()}
	a := &answer{ResponseWriter: w}
	if n := testing.AllocsPerRun(100, func() { sayLimits(a, openAI.name, standings) }); n >= 1 {
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
		sayLimits(w, openAI.name, standings)
	}
}

package wire_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"stele/internal/wire"
)

func TestReadsRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ms, text string
		wait     time.Duration
		told     bool
	}{
		{"", "", 0, false}, {"", "soon", 0, false}, {"", "-5", 0, false}, {"", "NaN", 0, false},
		{"", "3", 3 * time.Second, true}, {"", "1.5", 1500 * time.Millisecond, true}, {"", "0", 0, true},
		{"1500", "2", 1500 * time.Millisecond, true}, {"0", "2", 2 * time.Second, true},
		{"", "1m30s", 90 * time.Second, true}, {"", "-1s", 0, true},
		{"", "Mon, 02 Jan 2006 15:04:05 GMT", 0, true},
		{"", "1e300", math.MaxInt64, true}, {"", "Inf", math.MaxInt64, true},
	} {
		h := http.Header{"Retry-After-Ms": {c.ms}, "Retry-After": {c.text}}
		if wait, told := wire.RetryAfter(h); wait != c.wait || told != c.told {
			t.Errorf("%q, %q: %s, %t; want %s, %t", c.ms, c.text, wait, told, c.wait, c.told)
		}
	}
}

func TestWritesRetryAfter(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{0: "", -time.Second: "", time.Millisecond: "1", 2 * time.Second: "2", 2001 * time.Millisecond: "3"} {
		h := make(http.Header)
		if wire.SetRetryAfter(h, wait); h.Get("Retry-After") != want {
			t.Errorf("%s: %q, want %q", wait, h.Get("Retry-After"), want)
		}
	}
}

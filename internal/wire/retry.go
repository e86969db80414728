package wire

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// RetryAfter is how long the headers of an answer say that one has to wait, and whether they
// say it at all: Retry-After-Ms, and Retry-After with a number of seconds, a date, or a
// duration. It is never negative, and a caller believes it no longer than it likes.
func RetryAfter(h http.Header) (wait time.Duration, told bool) {
	if wait, told = Wait(h.Get("Retry-After-Ms"), time.Millisecond); told {
		return wait, true
	}
	text := h.Get("Retry-After")
	if wait, told = Wait(text, time.Second); told {
		return wait, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	if wait, err := time.ParseDuration(text); err == nil {
		return max(0, wait), true
	}
	return 0, false
}

// Wait reads a number of units to wait, more than none. What no duration can hold is the
// longest that one can.
func Wait(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0) {
		return 0, false
	}
	if wait := n * float64(unit); wait < math.MaxInt64 {
		return time.Duration(wait), true
	}
	return math.MaxInt64, true
}

// SetRetryAfter says how long to wait, in whole seconds and not too few of them; nothing
// where there is nothing to wait for.
func SetRetryAfter(h http.Header, wait time.Duration) {
	if wait > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(wait.Seconds())), 10))
	}
}

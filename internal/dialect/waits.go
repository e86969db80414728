package dialect

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
	"stele/internal/wire"
)

// Wait says of a refusal that passes with time when it does: as its headers, its message or a member of what it said tell.
func Wait(e *fault.Error, h http.Header, message string, said jsonscan.Value) *fault.Error {
	if e.Endless || e.RetryAfter > 0 || e.Code != fault.RateLimited && e.Code != fault.Unavailable {
		return e
	}
	return e.After(cmp.Or(retryAfter(h, message), waitIn(said)))
}

// retryAfter is when the headers say that trying again makes sense, or the words of a refusal;
// 0: they do not.
func retryAfter(h http.Header, message string) time.Duration {
	if wait, told := wire.RetryAfter(h); told {
		return min(wait, LongestWait)
	}
	return cmp.Or(waitForReset(h), waitInWords(message))
}

// resets are the headers that say how much of a limit is left, and when there is all of it again. Cerebras and others
// name what a limit is for with its time.
var resets = func() (list [][2]string) {
	for _, of := range []string{"requests", "tokens"} {
		for _, per := range []string{"", "-minute", "-hour", "-day"} {
			list = append(list, [2]string{"X-Ratelimit-Remaining-" + of + per, "X-Ratelimit-Reset-" + of + per})
		}
	}
	for _, of := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		list = append(list, [2]string{"Anthropic-Ratelimit-" + of + "-Remaining", "Anthropic-Ratelimit-" + of + "-Reset"})
	}
	return append(list, [2]string{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"}, [2]string{"Ratelimit-Remaining", "Ratelimit-Reset"})
}()

// waitForReset is how long it is until all limits that are used up are whole again; 0: none is, or nothing says when.
func waitForReset(h http.Header) (longest time.Duration) {
	for _, of := range resets {
		if h.Get(of[0]) == "0" {
			longest = max(longest, untilReset(h.Get(of[1])))
		}
	}
	return min(longest, LongestWait)
}

// untilReset reads a duration, seconds, or a time in words, seconds or milliseconds.
func untilReset(text string) time.Duration {
	if wait, err := time.ParseDuration(text); err == nil {
		return wait
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return time.Until(at)
	}
	const someTimeAgo = 1 << 30 // seconds, of which no wait has as many
	switch n, err := strconv.ParseFloat(text, 64); {
	case err != nil, !(n > 0 && n < math.MaxInt64/1e6):
		return 0
	case n > someTimeAgo*1000:
		return time.Until(time.UnixMilli(int64(n)))
	case n > someTimeAgo:
		return time.Until(time.Unix(int64(n), 0))
	default:
		return time.Duration(min(n, LongestWait.Seconds()) * float64(time.Second))
	}
}

// waitIn is how long a refusal says in a member of its own that one has to wait; 0: it does not.
func waitIn(root jsonscan.Value) time.Duration {
	inner, _ := Complaint(root)
	for _, v := range []jsonscan.Value{inner, inner.Get("metadata"), root} {
		for _, name := range []string{"retry_after", "retry_after_seconds", "retryAfter", "estimated_time", "resets_in_seconds"} {
			of := v.Get(name)
			if wait, ok := waitFor(cmp.Or(of.View(), string(of.Raw())), time.Second); ok {
				return wait
			}
		}
		if wait := untilReset(string(v.Get("resets_at").Raw())); wait > 0 { // Codex's, which has seconds since 1970
			return min(wait, LongestWait)
		}
	}
	return 0
}

// How upstreams say it where no header does: "try again in 1m30.5s", "retry after 20 seconds".
var (
	tryAgain = pattern.New(`(?i)(?:(?:try again|retry|resets?)(?: your request)? (?:in|after)|please wait(?: for)?) ((?:\d+(?:\.\d+)? ?[a-z]+[ ,]*)+)`)
	lasting  = pattern.New(`(\d+(?:\.\d+)?) ?([a-z]+)`)
	units    = map[string]time.Duration{
		"ms": time.Millisecond, "millisecond": time.Millisecond, "s": time.Second, "sec": time.Second, "second": time.Second,
		"m": time.Minute, "min": time.Minute, "minute": time.Minute, "h": time.Hour, "hour": time.Hour,
	}
)

// waitInWords is how long a refusal says that one has to wait; 0: it does not say.
func waitInWords(message string) (sum time.Duration) {
	found := tryAgain().FindStringSubmatch(message)
	if found == nil {
		return waitUntil(message)
	}
	for _, one := range lasting().FindAllStringSubmatch(strings.ToLower(found[1]), -1) {
		unit, known := units[one[2]]
		if !known {
			unit = units[strings.TrimSuffix(one[2], "s")]
		}
		wait, _ := waitFor(one[1], unit)
		sum += wait
	}
	return min(sum, LongestWait)
}

// SaysWhen reports whether a refusal says how long one has to wait: then it is no bill, whatever it calls itself.
func SaysWhen(message string) bool { return waitInWords(message) > 0 }

// waitUntil is how long it is to the time at which a refusal says that a limit is over: MiniMax's.
func waitUntil(message string) time.Duration {
	found := resetsAt().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	return max(0, min(untilReset(found[1]), LongestWait))
}

var resetsAt = pattern.New(`(?i)\bresets? at (\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))`)

// LongestWait is the longest that an upstream is believed to want to be left alone.
const LongestWait = 24 * time.Hour

// waitFor reads a number of units to wait.
func waitFor(text string, unit time.Duration) (time.Duration, bool) {
	wait, ok := wire.Wait(text, unit)
	return min(wait, LongestWait), ok
}

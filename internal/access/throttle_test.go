package access

import (
	"fmt"
	"testing"
	"time"
)

func TestFailuresAreToldByStepAndNeverFlood(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	throttle := newThrottle(func() time.Time { return now })
	var told []int
	for i := range 8 {
		if throttle.fail(attempt{account: "a", remote: "192.0.2.1"}) {
			told = append(told, i+1)
		}
	}
	if fmt.Sprint(told) != "[1 5 6 7 8]" { // the first, and each that makes the wait longer
		t.Errorf("told of failures %v", told)
	}
	count := func() (n int) {
		for i := range 500 { // from as many places, each at another account
			if throttle.fail(attempt{account: fmt.Sprint(i, now), remote: fmt.Sprintf("198.51.%d.%d", i/250, i%250)}) && throttle.tell() {
				n++
			}
		}
		return n
	}
	if n := count(); n != mostSteps {
		t.Errorf("%d entries in an hour", n)
	}
	now = now.Add(time.Hour)
	if n := count(); n != mostSteps {
		t.Errorf("%d entries in the next hour", n)
	}
}

// Whatever strangers do, who comes from elsewhere, or with a browser that is known,
// gets a try.
func TestNobodyIsLockedOutByStrangers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	throttle := newThrottle(func() time.Time { return now })
	for i := range 5000 {
		throttle.fail(attempt{account: "ada", remote: fmt.Sprintf("10.%d.%d.1", i/250, i%250)})
		throttle.fail(attempt{account: "ada", remote: "192.0.2.1"})
	}
	for what, a := range map[string]attempt{
		"from elsewhere":                     {account: "ada", remote: "203.0.113.9"},
		"by IPv6":                            {account: "ada", remote: "2001:db8::1"},
		"with a known browser":               {account: "ada", remote: "192.0.2.1", device: "d"},
		"another account, from another site": {account: "bob", remote: "203.0.113.8"},
	} {
		if wait := throttle.wait(a); wait > 0 {
			t.Errorf("%s: has to wait %s", what, wait)
		}
	}
	if wait := throttle.wait(attempt{account: "ada", remote: "192.0.2.1"}); wait <= 0 {
		t.Error("who guesses does not wait")
	}
	// Under siege a place has one failure free, not five.
	throttle.fail(attempt{account: "ada", remote: "203.0.113.9"})
	if wait := throttle.wait(attempt{account: "ada", remote: "203.0.113.9"}); wait != firstWait {
		t.Errorf("the second guess of a new place waits %s", wait)
	}
}

func TestAnIPv6NetworkIsOnePlace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		remote func(i int) string
		after  int
	}{
		"the addresses of a /64":     {func(i int) string { return fmt.Sprintf("2001:db8:1:2::%x", i+1) }, freeFailures},
		"the networks of a /48":      {func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) }, freeOfSite},
		"IPv4 as IPv6 and as IPv4":   {func(i int) string { return []string{"::ffff:192.0.2.1", "192.0.2.1"}[i%2] }, freeFailures},
		"zones of a local address":   {func(i int) string { return fmt.Sprintf("fe80::1%%eth%d", i) }, freeFailures},
		"what cannot be read at all": {func(i int) string { return fmt.Sprint("unix ", i) }, freeFailures},
	} {
		throttle := newThrottle(func() time.Time { return now })
		for i := range test.after {
			if wait := throttle.wait(attempt{account: fmt.Sprint("a", i), remote: test.remote(i)}); wait > 0 {
				t.Errorf("%s: waits after %d failures", name, i)
			}
			throttle.fail(attempt{account: fmt.Sprint("a", i), remote: test.remote(i)})
		}
		if throttle.wait(attempt{account: "other", remote: test.remote(test.after)}) == 0 {
			t.Errorf("%s: no wait after %d failures", name, test.after)
		}
	}
}

func TestSuccessesCountAgainstNobody(t *testing.T) {
	t.Parallel()
	throttle := newThrottle(time.Now)
	for i := range 100 {
		a := attempt{account: fmt.Sprint("a", i), remote: "192.0.2.1"}
		if wait := throttle.wait(a); wait > 0 {
			t.Fatalf("after %d people signed in the next has to wait", i)
		}
		throttle.fail(a)
		throttle.succeed(a)
	}
	if n := throttle.tries.Len(); n != 0 {
		t.Errorf("%d counts are left", n)
	}
	// A right password takes back its own try, not the guesses of others beside it.
	for i := range freeFailures {
		throttle.fail(attempt{account: fmt.Sprint("guess", i), remote: "192.0.2.1"})
	}
	own := attempt{account: "own", remote: "192.0.2.1"}
	throttle.fail(own)
	throttle.succeed(own)
	if throttle.wait(attempt{account: "guess9", remote: "192.0.2.1"}) == 0 {
		t.Error("an account of one's own wins free guesses at others")
	}
}

func TestTheThrottleForgetsWhatWasUsedLongestAgo(t *testing.T) {
	t.Parallel()
	throttle := newThrottle(time.Now)
	for range freeFailures {
		throttle.fail(attempt{account: "ada", remote: "192.0.2.1"})
	}
	for i := range 3 * mostTracked {
		throttle.fail(attempt{account: "x", device: fmt.Sprint("d", i)})
		if i%1000 == 0 {
			throttle.fail(attempt{account: "ada", remote: "192.0.2.1"})
		}
	}
	if n := throttle.tries.Len(); n > mostTracked {
		t.Errorf("%d names are kept", n)
	}
	if throttle.wait(attempt{account: "ada", remote: "192.0.2.1"}) == 0 {
		t.Error("who goes on guessing was forgotten for others")
	}
}

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
		if throttle.fail("address a", "remote 1") {
			told = append(told, i+1)
		}
	}
	if fmt.Sprint(told) != "[1 5 6 7 8]" { // the first, and each that makes the wait longer
		t.Errorf("told of failures %v", told)
	}
	count := func() (n int) {
		for i := range 500 { // from as many places, each at another account
			if throttle.fail(fmt.Sprint("address ", i, now), fmt.Sprint("remote ", i, now)) && throttle.tell() {
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

package route

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"stele/internal/fault"
)

func TestHealthCountsTheLastHour(t *testing.T) {
	t.Parallel()
	r := New()
	now := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	r.now = func() time.Time { return now }
	r.Note("a", down)
	now = now.Add(59 * time.Minute)
	for _, err := range []error{nil, wrong, badKey, noModel, errors.New("a bug"), context.Canceled} {
		r.Note("a", err)
	}
	h := r.Health()["a"]
	if h.Tries != 6 || h.Failures != 2 || h.InARow != 0 || h.Code != fault.UpstreamError || !h.Rejected || !h.Served.Equal(now) {
		t.Errorf("after an hour: %+v", h)
	}
	now = now.Add(2 * time.Minute)
	if h := r.Health()["a"]; h.Tries != 5 || h.Failures != 1 {
		t.Errorf("the first minute still counts: %+v", h)
	}
	now = now.Add(2 * time.Hour)
	r.Note("a", busy)
	if h := r.Health()["a"]; h.Tries != 1 || h.Failures != 1 || h.InARow != 1 || h.Message != "busy" || h.Rejected {
		t.Errorf("much later: %+v", h)
	}
	r.NoteBroken("a", slow)
	r.NoteBroken("a", wrong)
	if h := r.Health()["a"]; h.Tries != 1 || h.Failures != 2 || h.Code != fault.UpstreamTimeout {
		t.Errorf("after a stream broke: %+v", h)
	}
	r.Forget("a")
	if _, known := r.Health()["a"]; known {
		t.Error("what was forgotten is known")
	}
}

func TestHealthShowsBreakers(t *testing.T) {
	t.Parallel()
	var pauses []time.Duration
	r := patient(&pauses)
	for range failuresToOpen {
		var asked []string
		_, _ = r.Do(t.Context(), "w", model(0, "a", "b"), script(&asked, down))
	}
	health := r.Health()
	if got := fmt.Sprint(health["a"].Breakers, health["b"].Breakers); got != "[{x  closed 5} {x w open 5}] [{x  closed 0}]" {
		t.Errorf("breakers are %s", got)
	}
	if h := health["a"]; h.Tries != failuresToOpen || h.InARow != failuresToOpen || health["b"].InARow != 0 {
		t.Errorf("health is %+v", health)
	}
	r.Forget("a")
	var asked []string
	if _, err := r.Do(t.Context(), "w", model(0, "a"), script(&asked)); err != nil || len(asked) != 1 {
		t.Errorf("a new account is held back for the old one's failures: %v", err)
	}
}

func TestNamesThatClientsMakeUpDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	r := New()
	for i := range 2 * mostCircuits {
		m := model(0, "a")
		m.Targets[0].Model = fmt.Sprint(i)
		var asked []string
		_, _ = r.Do(t.Context(), "w", m, script(&asked))
	}
	if n := len(r.Health()["a"].Breakers); n > mostCircuits {
		t.Errorf("%d breakers are kept", n)
	}
}

// One provider that two servers call is judged by what both saw.
func TestHealthOfTwoServersIsAddedUp(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 11, 15, 9, minute, 0, 0, time.UTC) }
	failing := Health{Tries: 4, Failures: 3, InARow: 3, Last: at(5), Served: at(1), Failed: at(5), Code: fault.UpstreamError, Message: "no", Rejected: true}
	for name, c := range map[string]struct {
		other  Health
		inARow int
		code   fault.Code
	}{
		"it never called":            {Health{}, 3, fault.UpstreamError},
		"it was served before":       {Health{Tries: 1, Last: at(2), Served: at(2)}, 3, fault.UpstreamError},
		"it was served since":        {Health{Tries: 1, Last: at(6), Served: at(6)}, 0, fault.UpstreamError},
		"it failed too":              {Health{Tries: 2, Failures: 2, InARow: 2, Last: at(7), Failed: at(7), Code: fault.RateLimited}, 5, fault.RateLimited},
		"it failed, and was served":  {Health{Tries: 2, Failures: 1, Last: at(8), Served: at(8), Failed: at(7), Code: fault.RateLimited}, 0, fault.RateLimited},
		"its failures are long past": {Health{Tries: 9, Failures: 1, InARow: 1, Last: at(0), Failed: at(0), Code: fault.RateLimited}, 3, fault.UpstreamError},
	} {
		for order, h := range [...]Health{failing.With(c.other), c.other.With(failing)} {
			if h.Tries != 4+c.other.Tries || h.Failures != 3+c.other.Failures || h.InARow != c.inARow || h.Code != c.code || h.Rejected != (c.code == fault.UpstreamError) {
				t.Errorf("%s, %d: %+v", name, order, h)
			}
		}
	}
}

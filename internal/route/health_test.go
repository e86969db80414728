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
	r.Broke("a", slow)
	r.Broke("a", wrong)
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

package route

import (
	"context"
	"fmt"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
)

// city is a router whose upstream fails for some callers, and a clock.
type city struct {
	*Router

	t       *testing.T
	now     time.Time
	failing map[string]error
}

func newCity(t *testing.T) *city {
	t.Helper()
	var pauses []time.Duration
	c := &city{Router: patient(&pauses), t: t, now: time.Now(), failing: make(map[string]error)}
	c.Router.now = func() time.Time { return c.now }
	return c
}

// ask reports whether a caller's request reached the upstream.
func (c *city) ask(caller string) (reached bool) {
	c.t.Helper()
	_, _ = c.Do(c.t.Context(), caller, model(0, "a"), func(context.Context, catalog.Target) error {
		reached = true
		return c.failing[caller]
	})
	return reached
}

func (c *city) state(caller string) string {
	for _, b := range c.Health()["a"].Breakers {
		if b.Caller == caller {
			return b.State
		}
	}
	return "none"
}

var refused = &fault.Error{Code: fault.UpstreamError, Message: "refused", Unreached: true}

// TestOneCallersFailuresHoldNobodyElseBack is for every way in which a request can
// make an upstream fail.
func TestOneCallersFailuresHoldNobodyElseBack(t *testing.T) {
	t.Parallel()
	for _, err := range []error{down, busy, slow, badKey} {
		c := newCity(t)
		c.failing["bad"] = err
		for range 20 * failuresToOpen {
			c.ask("bad")
		}
		if c.ask("bad") || c.state("bad") != "open" {
			t.Errorf("%v: the caller whose requests fail is not held back: %s", err, c.state("bad"))
		}
		for range 3 {
			if !c.ask("good") {
				t.Errorf("%v: another caller is held back", err)
			}
		}
		if c.state("") != "closed" || c.state("good") != "none" {
			t.Errorf("%v: breakers are %v", err, c.Health()["a"].Breakers)
		}
	}
}

func TestAProviderThatFailsIsLeftAloneByAll(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		callers []string
		err     error
		open    bool
	}{
		"the failures of two callers":                 {[]string{"one", "two"}, down, true},
		"no connection, one caller":                   {[]string{"one"}, refused, true},
		"two of four callers that asked a moment ago": {[]string{"one", "two"}, down, false},
	} {
		c := newCity(t)
		if !test.open { // the others are well
			for _, well := range []string{"three", "four"} {
				c.ask(well)
			}
		}
		for range failuresToOpen {
			for _, caller := range test.callers {
				c.failing[caller] = test.err
				c.ask(caller)
			}
		}
		if held := !c.ask("new"); held != test.open {
			t.Errorf("%s: a caller that never asked is held back: %v", name, held)
		}
	}
}

// TestTheTrialOfABadCallerKeepsNoBreakerOpen lets a provider recover while one caller's
// requests go on failing: the next one that is well closes the breaker.
func TestTheTrialOfABadCallerKeepsNoBreakerOpen(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	c.failing["bad"], c.failing["good"] = down, down
	for range failuresToOpen {
		c.ask("bad")
		c.ask("good")
	}
	if c.ask("third") || c.state("") != "open" {
		t.Fatalf("the breaker is %s", c.state(""))
	}
	c.now = c.now.Add(openFor)
	delete(c.failing, "good")
	c.ask("bad")
	if c.state("") != "half-open" || !c.ask("third") || c.state("") != "closed" {
		t.Errorf("after a good trial the breaker is %s", c.state(""))
	}
	c.failing["good"], c.failing["third"] = down, down
	for range failuresToOpen {
		c.ask("third")
		c.ask("good")
	}
	c.now = c.now.Add(openFor)
	c.ask("third")
	c.ask("good")
	if c.state("") != "open" {
		t.Errorf("after two bad trials the breaker is %s", c.state(""))
	}
}

func TestGoneClientsSayNothingOfATarget(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	for range 2 * failuresToOpen {
		ctx, cancel := context.WithCancel(t.Context())
		_, _ = c.Do(ctx, "w", model(0, "a"), func(context.Context, catalog.Target) error {
			cancel()
			return slow
		})
	}
	if !c.ask("w") || c.state("w") != "none" {
		t.Errorf("clients that hang up hold others back: %v", c.Health()["a"].Breakers)
	}
}

func TestManyCallersDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	for i := range 10 * mostCallers {
		name := fmt.Sprint(i)
		c.failing[name] = down
		c.ask(name)
		c.now = c.now.Add(time.Second)
	}
	held := c.circuits.of(address{"a", "x"})
	if len(held.own) > mostCallers || len(held.asked) > mostCallers || len(held.failing) > mostCallers {
		t.Errorf("%d breakers, %d that asked, %d that fail are kept", len(held.own), len(held.asked), len(held.failing))
	}
}

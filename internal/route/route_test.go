package route

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/pause"
)

// patient is a router that remembers its pauses instead of taking them.
func patient(pauses *[]time.Duration) *Router {
	r := New()
	r.random = func() float64 { return 0.5 }
	r.sleep = func(_ context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return nil
	}
	return r
}

func model(retries int, targets ...string) *catalog.Model {
	m := &catalog.Model{ID: "m", Retries: retries}
	for _, t := range targets {
		m.Targets = append(m.Targets, catalog.Target{Provider: t, Model: "x", Weight: 1})
	}
	return m
}

// script answers each try with the next of its errors, then with success.
func script(asked *[]string, errs ...error) func(context.Context, catalog.Target) error {
	return func(_ context.Context, t catalog.Target) error {
		*asked = append(*asked, t.Provider)
		if n := len(*asked); n <= len(errs) {
			return errs[n-1]
		}
		return nil
	}
}

var (
	down     = fault.New(fault.UpstreamError, "down")
	busy     = fault.New(fault.Unavailable, "busy")
	slow     = fault.New(fault.UpstreamTimeout, "slow")
	limited  = fault.New(fault.RateLimited, "limited").After(2 * time.Second)
	spent    = fault.New(fault.RateLimited, "quota gone")
	patience = fault.New(fault.RateLimited, "limited for long").After(time.Minute)
	badKey   = fault.New(fault.UpstreamError, "key").OurCredentials()
	wrong    = fault.New(fault.InvalidParameter, "wrong")
	noModel  = fault.New(fault.ModelNotFound, "none")
	tooLarge = &fault.Error{Code: fault.BodyTooLarge, Message: "large", Elsewhere: true}
	strict   = (&chat.Request{Strict: true}).Accept([]chat.Loss{chat.Lost(chat.FieldUser, chat.Dropped, "")})
	away     = fault.NewAway(errors.New("our own storage"))
)

func TestTries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model  *catalog.Model
		errs   []error
		asked  string
		pauses string
		code   fault.Code
	}{
		"served at once":                     {model(2, "a", "b"), nil, "a", "[]", ""},
		"falls back before any pause":        {model(2, "a", "b"), []error{down}, "a b", "[]", ""},
		"comes back to the first":            {model(2, "a", "b"), []error{down, busy}, "a b a", "[250ms]", ""},
		"retries the only one":               {model(2, "a"), []error{busy, slow}, "a a a", "[250ms 500ms]", ""},
		"gives up after retries":             {model(2, "a"), []error{busy, busy, busy}, "a a a", "[250ms 500ms]", fault.Unavailable},
		"every target gets a try":            {model(0, "a", "b", "c"), []error{down, down, down}, "a b c", "[]", fault.UpstreamError},
		"waits as long as asked":             {model(1, "a"), []error{limited}, "a a", "[2s]", ""},
		"as long as that one asked":          {model(2, "a", "b"), []error{limited, busy}, "a b a", "[2s]", ""},
		"not when that is too long":          {model(2, "a"), []error{patience}, "a", "[]", fault.RateLimited},
		"quota is not retried":               {model(2, "a"), []error{spent}, "a", "[]", fault.RateLimited},
		"quota goes elsewhere":               {model(2, "a", "b"), []error{spent, down}, "a b b", "[250ms]", ""},
		"a bad key is not tried again":       {model(2, "a"), []error{badKey}, "a", "[]", fault.UpstreamError},
		"the client's mistake is final":      {model(2, "a", "b"), []error{wrong}, "a", "[]", fault.InvalidParameter},
		"what no target did is final":        {model(2, "a", "b"), []error{away}, "a", "[]", fault.Unavailable},
		"an unknown model may be elsewhere":  {model(2, "a", "b"), []error{noModel}, "a b", "[]", ""},
		"what is too large for one":          {model(2, "a", "b"), []error{tooLarge}, "a b", "[]", ""},
		"what is too large for all":          {model(2, "a", "b"), []error{tooLarge, tooLarge}, "a b", "[]", fault.BodyTooLarge},
		"who fails is told, not who cannot":  {model(1, "a", "b"), []error{down, tooLarge, busy}, "a b a", "[250ms]", fault.Unavailable},
		"who cannot takes no try away":       {model(2, "a", "b", "c"), []error{down, tooLarge, tooLarge}, "a b c a", "[250ms]", ""},
		"strict, and another can":            {model(0, "a", "b"), []error{strict}, "a b", "[]", ""},
		"strict, and none can":               {model(2, "a", "b"), []error{strict, strict}, "a b", "[]", fault.StrictMode},
		"strict, where the other is down":    {model(0, "a", "b"), []error{down, strict}, "a b", "[]", fault.UpstreamError},
		"whatever is not a fault is final":   {model(2, "a", "b"), []error{errors.New("bug")}, "a", "[]", fault.Internal},
		"a model without targets is refused": {model(2), nil, "", "[]", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pauses, asked := []time.Duration{}, []string{}
			tries, err := patient(&pauses).Do(t.Context(), "w", test.model, script(&asked, test.errs...))
			var code fault.Code
			if err != nil {
				code = fault.From(err).Code
			}
			if got := strings.Join(asked, " "); got != test.asked || fmt.Sprint(pauses) != test.pauses || code != test.code || tries != len(asked) {
				t.Errorf("asked %q after %v (%d tries): %v", got, pauses, tries, err)
			}
		})
	}
}

func TestBreakerSkipsATargetThatIsDown(t *testing.T) {
	t.Parallel()
	var pauses []time.Duration
	r := patient(&pauses)
	for range failuresToOpen {
		var asked []string
		if _, err := r.Do(t.Context(), "w", model(0, "a", "b"), script(&asked, down)); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	if _, err := r.Do(t.Context(), "w", model(0, "a", "b"), script(&asked)); err != nil || strings.Join(asked, " ") != "b" {
		t.Errorf("asked %v, %v", asked, err)
	}
	_, err := r.Do(t.Context(), "w", model(2, "a"), script(&asked))
	if e := fault.From(err); e.Code != fault.Unavailable || e.RetryAfter == 0 {
		t.Errorf("with every breaker open: %v", err)
	}
}

func TestWhatNoTargetDidDoesNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	for _, fails := range []*fault.Error{wrong, away} {
		r := New()
		for range 2 * failuresToOpen {
			var asked []string
			_, err := r.Do(t.Context(), "w", model(0, "a"), script(&asked, fails))
			if fault.From(err).Code != fails.Code || len(asked) != 1 {
				t.Fatalf("%v after %d tries", err, len(asked))
			}
		}
		if h := r.Health()["a"]; h.InARow != 0 {
			t.Errorf("%v: %d failures in a row are the provider's", fails, h.InARow)
		}
	}
}

func TestBalanceFollowsTheWeights(t *testing.T) {
	t.Parallel()
	m := model(0, "a", "b", "c")
	m.Balance = true
	m.Targets[0].Weight, m.Targets[1].Weight, m.Targets[2].Weight = 3, 1, 0
	first := map[string]int{}
	r := New()
	for i := range 400 {
		r.random = func() float64 { return float64(i) / 400 }
		order := r.arrange(m)
		if len(order) != 3 || order[2].Provider != "c" {
			t.Fatalf("order %v", order)
		}
		first[order[0].Provider]++
	}
	if first["a"] != 300 || first["b"] != 100 {
		t.Errorf("first tries %v", first)
	}
}

func TestAGoneClientEndsThePauses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := New()
	r.sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return pause.For(ctx, time.Hour) }
	var asked []string
	_, err := r.Do(ctx, "w", model(2, "a"), script(&asked, busy, busy))
	if !errors.Is(err, context.Canceled) || len(asked) != 1 {
		t.Errorf("%v after %d tries", err, len(asked))
	}
}

package loops

import (
	"fmt"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// newDuo is a house with one model over two upstreams of a dialect, which refuse
// each other's signatures, by turns.
func newDuo(t *testing.T, dialect, target string) *rig.Front {
	t.Helper()
	r, config := prepareDuo(t, dialect, target)
	r.Open(t, config)
	return r
}

// prepareDuo starts the upstreams and returns the configuration of such a house.
func prepareDuo(t *testing.T, dialect, target string) (*rig.Front, string) {
	t.Helper()
	start := map[string]func(testing.TB, ...upstream.Option) *upstream.Server{"anthropic": upstream.NewAnthropic, "gemini": upstream.NewGemini}[dialect]
	r := &rig.Front{Up: map[string]*upstream.Server{
		"one": start(t, upstream.WithSecret("one")), "two": start(t, upstream.WithSecret("two")),
	}}
	return r, fmt.Sprintf(`providers:
  one: {kind: %[1]s, base_url: %[2]q, api_key: %[3]s, options: {genuine: 'true'}}
  two: {kind: %[1]s, base_url: %[4]q, api_key: %[3]s, options: {genuine: 'true'}}
models:
  duo: {strategy: balance, retries: 0, targets: [one/%[5]s, two/%[5]s]}
`, dialect, r.Up["one"].URL, upstream.Key, r.Up["two"].URL, target)
}

// TestALoopStaysWhereItBegan runs loops over two accounts that refuse each other's
// signatures: each loop is served by one of them, and both serve some.
func TestALoopStaysWhereItBegan(t *testing.T) {
	t.Parallel()
	for away, target := range map[string]string{"anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"} {
		for _, client := range rig.Dialects {
			t.Run(client+" over two of "+away, func(t *testing.T) {
				t.Parallel()
				r := newDuo(t, away, target)
				served := make(map[string]int)
				for n := range 12 {
					a := rig.NewAgent(r, client, "duo", n%2 == 0, client == "openai" && n%3 == 0)
					a.Ask(fmt.Sprintf("This is loop %d: call:forecast*5 for it.", n))
					one, two := len(r.Up["one"].Requests()), len(r.Up["two"].Requests())
					a.Run(t)
					one, two = len(r.Up["one"].Requests())-one, len(r.Up["two"].Requests())-two
					if a.Calls != 5 || one != 0 && two != 0 {
						t.Errorf("loop %d: %d calls, %d requests here and %d there", n, a.Calls, one, two)
					}
					served["one"] += min(one, 1)
					served["two"] += min(two, 1)
				}
				if served["one"] == 0 || served["two"] == 0 {
					t.Errorf("one served %d loops and two served %d", served["one"], served["two"])
				}
				for name, s := range r.Up {
					for _, q := range s.Refusals() {
						t.Errorf("%s refused: %.500s", name, q.Refusal.Body)
					}
				}
			})
		}
	}
}

// TestALoopOutlivesItsTarget has the account that began a loop fail in the middle of
// it: the other one takes over, without the thoughts that it cannot read.
func TestALoopOutlivesItsTarget(t *testing.T) {
	t.Parallel()
	for away, target := range map[string]string{"anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"} {
		for _, client := range rig.Dialects {
			t.Run(client+" over two of "+away, func(t *testing.T) {
				t.Parallel()
				r := newDuo(t, away, target)
				a := rig.NewAgent(r, client, "duo", false, false)
				a.Ask("Please call:forecast*6 for it.")
				for range 3 {
					a.Turn(t)
				}
				for name, s := range r.Up {
					if len(s.Requests()) > 0 {
						t.Logf("%s began", name)
						s.Always(upstream.Overloaded())
					}
				}
				a.Run(t)
				if a.Calls != 6 || a.Said != "The tools said: sun 6" {
					t.Errorf("%d calls and %q", a.Calls, a.Said)
				}
			})
		}
	}
}

// TestANewQuestionMayGoAnywhere asks on after a loop: whichever account serves then, thoughts
// of the other account are no reason to fail.
func TestANewQuestionMayGoAnywhere(t *testing.T) {
	t.Parallel()
	for away, target := range map[string]string{"anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"} {
		for _, client := range rig.Dialects {
			t.Run(client+" over two of "+away, func(t *testing.T) {
				t.Parallel()
				r := newDuo(t, away, target)
				a := rig.NewAgent(r, client, "duo", false, false)
				for n := range 8 {
					a.Ask(fmt.Sprintf("Question %d: call:forecast*2 for it.", n))
					a.Run(t)
				}
				if a.Calls != 16 {
					t.Errorf("%d calls", a.Calls)
				}
			})
		}
	}
}

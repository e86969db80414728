package sdk

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// trouble is something that goes wrong upstream, and the status that a client of
// each dialect hears of it.
type trouble struct {
	script   string
	statuses map[string]int
	says     string // what the message must tell
	header   map[string]string
}

func everywhere(status int) map[string]int {
	return map[string]int{"openai": status, "anthropic": status, "gemini": status}
}

func troubles() []trouble {
	final := map[string]string{"X-Should-Retry": "false", "Retry-After": ""}
	return []trouble{
		{"limited", everywhere(http.StatusTooManyRequests), "", map[string]string{"X-Should-Retry": "", "Retry-After": "7"}},
		{"wrong", everywhere(http.StatusBadRequest), "The moon is not in the right place.", nil},
		{"busy", map[string]int{"openai": 503, "anthropic": 529, "gemini": 503}, "", final},
		{"locked", map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, "", final},
		{"broken", map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, "", final},
		{"page", map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, "", final},
		{"gone", everywhere(http.StatusNotFound), "", nil},
	}
}

// TestMatrixTellsErrors has every upstream fail in every way: each SDK raises its
// own error of the right class, and hears nothing of the operator. All that one
// SDK and one upstream can do to each other happens at the same time: most of it
// is waiting before another try.
func TestMatrixTellsErrors(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for _, up := range s.away {
			t.Run(c.name+"/"+up.dialect, func(t *testing.T) {
				t.Parallel()
				var all sync.WaitGroup
				defer all.Wait()
				for _, x := range troubles() {
					for _, stream := range []bool{false, true} {
						all.Go(func() { x.happen(t, s, c, up, stream) })
					}
				}
			})
		}
	}
}

func (x trouble) happen(t *testing.T, s *stage, c client, up away, stream bool) {
	t.Helper()
	model := fmt.Sprintf("%s/%s@%s.%s-%t", up.dialect, up.plain, x.script, c.name, stream)
	k := c.open(t, s, manner{model: model, stream: stream})
	err := mustFail(t, k, words{text: "hello"})
	f, ok := c.failed(err)
	if !ok {
		t.Errorf("%s: not an error of the SDK's own: %T %v", model, err, err)
		return
	}
	if want := x.statuses[c.dialect]; f.status != want || f.kind != c.terms[x.script] || f.message == "" || !strings.Contains(f.message, x.says) {
		t.Errorf("%s: got %+v, want %d %s %q", model, f, want, c.terms[x.script], x.says)
	}
	for _, secret := range []string{"org-of-the-operator", "cloudflare", "127.0.0.1:", "API key", "x-api-key"} {
		if strings.Contains(f.message, secret) {
			t.Errorf("%s: the client hears %q: %s", model, secret, f.message)
		}
	}
	for name, want := range x.header {
		if got := k.heard().Get(name); got != want {
			t.Errorf("%s: %s is %q, not %q", model, name, got, want)
		}
	}
}

// TestMatrixTellsErrorsInStreams has every upstream fail after some events.
func TestMatrixTellsErrorsInStreams(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for _, up := range s.away {
			for _, script := range []string{"failing.3", "short-after.3", "cut-after.3"} {
				t.Run(strings.Join([]string{c.name, up.dialect, script}, "/"), func(t *testing.T) {
					t.Parallel()
					k := c.open(t, s, manner{model: up.dialect + "/" + up.plain + "@" + script + "." + c.name, stream: true})
					_ = mustFail(t, k, words{text: "tell me a long story"}) // any will do
				})
			}
		}
	}
}

// TestMatrixAborts leaves in the middle of a stream, and before anything came: the
// upstream sees it each time.
func TestMatrixAborts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for _, up := range s.away {
			for _, script := range []string{"endless", "silent.4", "silent.0", "never"} {
				for manners, stream := range map[string]bool{"whole": false, "stream": true} {
					if !stream && script != "never" {
						continue // no model talks for ever without a stream
					}
					t.Run(strings.Join([]string{c.name, up.dialect, script, manners}, "/"), func(t *testing.T) {
						t.Parallel()
						model := up.plain + "@" + script + "." + c.name + manners
						ctx, leave := context.WithCancel(t.Context())
						defer leave()
						m := manner{model: up.dialect + "/" + model, stream: stream}
						if script == "endless" || script == "silent.4" {
							m.watch = leave
						} else {
							go func() {
								up.await(t, model)
								leave()
							}()
						}
						if a, err := c.open(t, s, m).say(ctx, words{text: "hello, and tell me all of it"}); err == nil {
							t.Errorf("no error after %+v", a)
						}
						up.awaitHangup(t, model)
					})
				}
			}
		}
	}
}

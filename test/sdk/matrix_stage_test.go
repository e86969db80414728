package sdk

import (
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// stage is a house before three upstreams. A model's name says which of them and,
// after an @, what it is to do wrong: scenes that are played at the same time do not
// meet, and no breaker opens for another.
type stage struct {
	*rig.Front

	away []away
}

// away is an upstream and the names of its models.
type away struct {
	dialect string // and the provider's name
	server  *upstream.Server
	plain   string // takes everything
	thinker string // thinks, signs its thoughts and wants them back
}

func newStage(t *testing.T) *stage {
	t.Helper()
	r := rig.NewFront(t, "", "")
	t.Cleanup(func() { r.Unrefused(t) })
	return &stage{r, []away{
		{"openai", r.Up["openai"], "gpt-4.1", "gpt-5"},
		{"anthropic", r.Up["anthropic"], "claude-sonnet-4-5", "claude-sonnet-4-5"},
		{"gemini", r.Up["gemini"], "gemini-2.5-flash", "gemini-3-pro"},
	}}
}

// asked is the requests that a model has been sent.
func (a away) asked(model string) []*upstream.Recorded {
	var list []*upstream.Recorded
	for _, r := range a.server.Requests() {
		if r.Model == model {
			list = append(list, r)
		}
	}
	return list
}

// await returns the first request to a model when it is there.
func (a away) await(t *testing.T, model string) *upstream.Recorded {
	t.Helper()
	rig.Eventually(t, "the upstream is asked for "+model, func() bool { return len(a.asked(model)) > 0 })
	return a.asked(model)[0]
}

// awaitHangup returns when an upstream has seen that no client wants its answer any more.
func (a away) awaitHangup(t *testing.T, model string) {
	t.Helper()
	r := a.await(t, model)
	rig.Eventually(t, "the upstream of "+model+" sees that the client has left", func() bool {
		_, left := r.HungUp()
		return left
	})
}

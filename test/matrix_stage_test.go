package test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/test/house"
	"stele/test/upstream"
)

// stage is a house before three upstreams that are as strict as the real ones. A
// model's name says which of them and, after an @, what it is to do wrong: scenes
// that are played at the same time do not meet, and no breaker opens for another.
type stage struct {
	*house.House

	key  string
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
	s := &stage{away: []away{
		{"openai", upstream.NewOpenAI(t), "gpt-4.1", "gpt-5"},
		{"anthropic", upstream.NewAnthropic(t), "claude-sonnet-4-5", "claude-sonnet-4-5"},
		{"gemini", upstream.NewGemini(t), "gemini-2.5-flash", "gemini-3-pro"},
	}}
	var config strings.Builder
	config.WriteString("providers:\n")
	for _, a := range s.away {
		base := a.server.URL
		if a.dialect == "openai" {
			base += "/v1"
		}
		fmt.Fprintf(&config, "  %s: {kind: %[1]s, base_url: %q, api_key: %s, models: ['*']}\n", a.dialect, base, upstream.Key)
		a.server.Handle(play)
	}
	s.House = house.Start(t, house.Options{Config: config.String()})
	s.Keep(upstream.Key)
	s.key = s.CreateKey(t).Key
	s.Await(t, s.key, http.StatusOK)
	t.Cleanup(func() { s.refusals(t) })
	return s
}

// refusals fails for every request that an upstream did not take: each is a fault
// of the translation, even where a second try went well.
func (s *stage) refusals(t *testing.T) {
	for _, a := range s.away {
		for _, r := range a.server.Refusals() {
			t.Errorf("%s refused %s\nwith %s", a.dialect, r.Body, r.Refusal.Body)
		}
	}
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
	house.Eventually(t, "the upstream is asked for "+model, func() bool { return len(a.asked(model)) > 0 })
	return a.asked(model)[0]
}

// awaitHangup returns when an upstream has seen that nobody wants its answer any more.
func (a away) awaitHangup(t *testing.T, model string) {
	t.Helper()
	r := a.await(t, model)
	house.Eventually(t, "the upstream of "+model+" sees that the client has left", func() bool {
		_, left := r.HungUp()
		return left
	})
}

// play reads what an upstream is to do wrong from the name of the model, as in
// gpt-4.1@cut-after.3.go: what, how much, and whose scene it is.
func play(r *upstream.Recorded) upstream.Answer {
	_, script, ok := strings.Cut(r.Model, "@")
	if !ok {
		return nil
	}
	words := append(strings.Split(script, "."), "", "")
	n, _ := strconv.Atoi(words[1])
	switch words[0] {
	case "limited":
		return upstream.RateLimited(7 * time.Second)
	case "wrong":
		return upstream.Fail(http.StatusBadRequest, "The moon is not in the right place.")
	case "busy":
		return upstream.Overloaded()
	case "locked":
		return upstream.BadKey()
	case "broken":
		return upstream.Broken()
	case "gone":
		return upstream.Fail(http.StatusNotFound, "The model does not exist.")
	case "page":
		return upstream.HTML(http.StatusBadGateway)
	case "failing":
		return upstream.ErrorAfter(n)
	case "cut-bytes":
		return upstream.Cut(n)
	case "cut-after":
		return upstream.CutFrames(n)
	case "short-after":
		return upstream.ShortFrames(n)
	case "silent":
		return upstream.Silent(n)
	case "refusing":
		return upstream.Finished(refusing(r))
	case "never":
		return upstream.Never()
	case "endless":
		return upstream.Chain(upstream.Endless(), upstream.Pace(2*time.Millisecond))
	}
	return upstream.Usual()
}

// refusing is each API's word for an answer that was broken off because of what it says.
func refusing(r *upstream.Recorded) string {
	switch {
	case strings.HasSuffix(r.Path, "/chat/completions"):
		return "content_filter"
	case strings.HasSuffix(r.Path, "/messages"):
		return "refusal"
	}
	return "SAFETY"
}

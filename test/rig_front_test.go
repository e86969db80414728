package test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"stele/test/house"
	"stele/test/upstream"
)

// tongues are the dialects, which are the names of their providers here too.
var tongues = []string{"openai", "anthropic", "gemini"}

// usualModel is a model of each upstream that takes everything.
var usualModel = map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}

// operatorsName is what the fake upstreams have in headers and errors, and no client may see.
const operatorsName = "org-of-the-operator"

// rig is a house before one fake upstream of each dialect. Every target has a
// script of its own, by its name, so that tests run beside each other and no
// breaker opens for another.
type rig struct {
	*house.House

	key   string
	keyID string
	up    map[string]*upstream.Server

	mu      sync.Mutex // guards scripts
	scripts map[string]upstream.Answer
}

// newRig starts the three upstreams and the house. Models is YAML under models:,
// settings whatever else the configuration has.
func newRig(t *testing.T, settings, models string, options ...upstream.Option) *rig {
	t.Helper()
	r, config := prepareRig(t, settings, models, options...)
	r.open(t, config)
	return r
}

// prepareRig starts the upstreams and returns the configuration of a house before them.
func prepareRig(t *testing.T, settings, models string, options ...upstream.Option) (*rig, string) {
	t.Helper()
	r := &rig{up: map[string]*upstream.Server{
		"openai": upstream.NewOpenAI(t, options...), "anthropic": upstream.NewAnthropic(t, options...), "gemini": upstream.NewGemini(t, options...),
	}}
	var config strings.Builder
	config.WriteString(settings + "providers:\n")
	for _, d := range tongues {
		r.up[d].Handle(r.script)
		fmt.Fprintf(&config, "  %s: {kind: %[1]s, base_url: %q, api_key: %s, models: ['*']}\n", d, baseOf(d, r.up[d]), upstream.Key)
	}
	if models != "" {
		config.WriteString("models:\n" + models)
	}
	return r, config.String()
}

// open starts the house and makes a key for it.
func (r *rig) open(t *testing.T, config string, flags ...string) {
	t.Helper()
	r.House = house.Start(t, house.Options{Config: config, Flags: flags})
	r.Keep(upstream.Key)
	made := r.CreateKey(t)
	r.key, r.keyID = made.Key, made.ID
	r.Await(t, r.key, http.StatusOK)
}

// baseOf is where a provider's configuration finds a fake upstream.
func baseOf(dialect string, s *upstream.Server) string {
	if dialect == "openai" {
		return s.URL + "/v1"
	}
	return s.URL
}

// on scripts a target: what it answers from now on.
func (r *rig) on(dialect, target string, a upstream.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scripts == nil {
		r.scripts = make(map[string]upstream.Answer)
	}
	r.scripts[dialect+"/"+target] = a
}

func (r *rig) script(recorded *upstream.Recorded) upstream.Answer {
	dialect, target := targetOf(recorded)
	r.mu.Lock()
	defer r.mu.Unlock()
	if scripted, ok := r.scripts[dialect+"/"+target]; ok {
		return scripted
	}
	return play(recorded)
}

// sentTo are the requests that a target got.
func (r *rig) sentTo(dialect, target string) []*upstream.Recorded {
	return slices.DeleteFunc(r.up[dialect].Requests(), func(q *upstream.Recorded) bool { return q.Model != target })
}

// lastTo is the last request that a target got.
func (r *rig) lastTo(t *testing.T, dialect, target string) *upstream.Recorded {
	t.Helper()
	all := r.sentTo(dialect, target)
	if len(all) == 0 {
		t.Fatalf("%s/%s was asked for nothing", dialect, target)
	}
	return all[len(all)-1]
}

// targetOf tells for which upstream and model a request is.
func targetOf(q *upstream.Recorded) (dialect, target string) {
	switch {
	case strings.Contains(q.Path, "/models/"):
		return "gemini", q.Model
	case strings.HasSuffix(q.Path, "/messages"):
		return "anthropic", q.Model
	}
	return "openai", q.Model
}

// wish is a chat request in a client's dialect.
type wish struct {
	dialect string
	path    string
	body    string
	header  http.Header
}

// ask is a plain question, whole or streamed.
func ask(dialect, model, text string, stream bool) wish {
	switch dialect {
	case "openai":
		return wishFor(dialect, model, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]}`, model, text), stream)
	case "anthropic":
		return wishFor(dialect, model, fmt.Sprintf(`{"model":%q,"max_tokens":4000,"messages":[{"role":"user","content":%q}]}`, model, text), stream)
	}
	return wishFor(dialect, model, fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":%q}]}]}`, text), stream)
}

// wishFor is a request with this body, which says nothing of streaming yet.
func wishFor(dialect, model, body string, stream bool) wish {
	w := wish{dialect: dialect, body: body, header: make(http.Header)}
	switch dialect {
	case "openai":
		w.path = "/api/v1/chat/completions"
	case "anthropic":
		w.path = "/api/v1/messages"
		w.header.Set("Anthropic-Version", "2023-06-01")
	case "gemini":
		w.path = "/api/v1beta/models/" + model + ":generateContent"
		if stream {
			w.path = "/api/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
		}
		return w
	}
	if stream {
		w.body = strings.TrimSuffix(w.body, "}") + `,"stream":true}`
	}
	return w
}

// request is the wish as an HTTP request with the rig's key.
func (r *rig) request(t testing.TB, w wish) *http.Request {
	t.Helper()
	q := r.Request(t, http.MethodPost, w.path)
	q.Body, q.ContentLength = io.NopCloser(strings.NewReader(w.body)), int64(len(w.body))
	q.Header = w.header.Clone()
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer "+r.key)
	return q
}

// heard is an answer as a client sees it, with how its body ended.
type heard struct {
	status int
	header http.Header
	body   string
	err    error
}

// broken tells whether the connection was cut in the middle of the body.
func (h heard) broken() bool { return errors.Is(h.err, io.ErrUnexpectedEOF) }

// send asks and listens to the end, whatever it is.
func (r *rig) send(t testing.TB, w wish) heard {
	t.Helper()
	a, err := r.Send(r.request(t, w))
	if err != nil && a.Status == 0 {
		t.Fatalf("%s: %v", w.path, err)
	}
	return heard{a.Status, a.Header, a.Body, err}
}

// good asks for what must go well.
func (r *rig) good(t testing.TB, w wish) heard {
	t.Helper()
	h := r.send(t, w)
	if h.status != http.StatusOK || h.err != nil {
		t.Fatalf("%s: %d %s (%v)", w.path, h.status, h.body, h.err)
	}
	return h
}

// pairs runs a test for each of the nine pairs, by client and upstream.
func pairs(t *testing.T, f func(t *testing.T, client, away string)) {
	t.Helper()
	for _, client := range tongues {
		for _, away := range tongues {
			t.Run(client+" over "+away, func(t *testing.T) {
				t.Parallel()
				f(t, client, away)
			})
		}
	}
}

// allPairs runs a test for each pair and returns when all have ended.
func allPairs(t *testing.T, f func(t *testing.T, client, away string)) {
	t.Helper()
	t.Run("pairs", func(t *testing.T) { pairs(t, f) })
}

// unrefused fails for every request that an upstream did not take: a second try
// that went well does not mend it.
func (r *rig) unrefused(t *testing.T) {
	t.Helper()
	for _, d := range tongues {
		for _, q := range r.up[d].Refusals() {
			t.Errorf("%s refused a request of %d bytes: %.600s", d, len(q.Body), q.Refusal.Body)
		}
	}
}

// straight asks an upstream again for what it was asked before, without Stele
// between, and returns its bytes.
func (r *rig) straight(t *testing.T, dialect string, q *upstream.Recorded) string {
	t.Helper()
	again, err := http.NewRequest(q.Method, r.up[dialect].URL+q.Path+"?"+q.Query.Encode(), bytes.NewReader(q.Body))
	if err != nil {
		t.Fatal(err)
	}
	again.Header = q.Header.Clone()
	answer, err := http.DefaultClient.Do(again)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func streamed(stream bool) string {
	if stream {
		return " streamed"
	}
	return " whole"
}

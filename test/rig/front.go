package rig

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

	"stele/test/upstream"
)

// Dialects are the dialects, which are the names of their providers here too.
var Dialects = []string{"openai", "anthropic", "gemini"}

// UsualModel is a model of each upstream that takes everything.
var UsualModel = map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}

// OperatorsName is what the fake upstreams have in headers and errors, and no client may see.
const OperatorsName = "org-of-the-operator"

// Front is a house before one fake upstream of each dialect. Every target has a
// script of its own, by its name, so that tests run beside each other and no
// breaker opens for another.
type Front struct {
	*House

	Key   string
	KeyID string
	Up    map[string]*upstream.Server

	mu      sync.Mutex // guards scripts
	scripts map[string]upstream.Answer
}

// NewFront starts the three upstreams and the house. Models is YAML under models:,
// settings whatever else the configuration has.
func NewFront(t *testing.T, settings, models string, options ...upstream.Option) *Front {
	t.Helper()
	r, config := PrepareFront(t, settings, models, options...)
	r.Open(t, config)
	return r
}

// PrepareFront starts the upstreams and returns the configuration of a house before them.
func PrepareFront(t *testing.T, settings, models string, options ...upstream.Option) (*Front, string) {
	t.Helper()
	r := &Front{Up: map[string]*upstream.Server{
		"openai": upstream.NewOpenAI(t, options...), "anthropic": upstream.NewAnthropic(t, options...), "gemini": upstream.NewGemini(t, options...),
	}}
	var config strings.Builder
	config.WriteString(settings + "providers:\n")
	for _, d := range Dialects {
		r.Up[d].Handle(r.script)
		fmt.Fprintf(&config, "  %s: {kind: %[1]s, base_url: %q, api_key: %s, options: {genuine: 'true'}, models: ['*']}\n", d, baseOf(d, r.Up[d]), upstream.Key)
	}
	if models != "" {
		config.WriteString("models:\n" + models)
	}
	return r, config.String()
}

// Open starts the house and makes a key for it.
func (r *Front) Open(t *testing.T, config string, flags ...string) {
	t.Helper()
	r.House = Start(t, Options{Config: config, Flags: flags})
	r.Keep(upstream.Key)
	made := r.CreateKey(t)
	r.Key, r.KeyID = made.Key, made.ID
	r.Await(t, r.Key, http.StatusOK)
}

// baseOf is where a provider's configuration finds a fake upstream.
func baseOf(dialect string, s *upstream.Server) string {
	if dialect == "openai" {
		return s.URL + "/v1"
	}
	return s.URL
}

// On scripts a target: what it answers from now on.
func (r *Front) On(dialect, target string, a upstream.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scripts == nil {
		r.scripts = make(map[string]upstream.Answer)
	}
	r.scripts[dialect+"/"+target] = a
}

func (r *Front) script(recorded *upstream.Recorded) upstream.Answer {
	dialect, target := targetOf(recorded)
	r.mu.Lock()
	defer r.mu.Unlock()
	if scripted, ok := r.scripts[dialect+"/"+target]; ok {
		return scripted
	}
	return play(recorded)
}

// SentTo are the requests that a target got.
func (r *Front) SentTo(dialect, target string) []*upstream.Recorded {
	return slices.DeleteFunc(r.Up[dialect].Requests(), func(q *upstream.Recorded) bool { return q.Model != target })
}

// LastTo is the last request that a target got.
func (r *Front) LastTo(t *testing.T, dialect, target string) *upstream.Recorded {
	t.Helper()
	all := r.SentTo(dialect, target)
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

// Wish is a chat request in a client's dialect.
type Wish struct {
	Dialect string
	Path    string
	Body    string
	Header  http.Header
}

// Ask is a plain question, whole or streamed.
func Ask(dialect, model, text string, stream bool) Wish {
	switch dialect {
	case "openai":
		return WishFor(dialect, model, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]}`, model, text), stream)
	case "anthropic":
		return WishFor(dialect, model, fmt.Sprintf(`{"model":%q,"max_tokens":4000,"messages":[{"role":"user","content":%q}]}`, model, text), stream)
	}
	return WishFor(dialect, model, fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":%q}]}]}`, text), stream)
}

// WishFor is a request with this body, which says nothing of streaming yet.
func WishFor(dialect, model, body string, stream bool) Wish {
	w := Wish{Dialect: dialect, Body: body, Header: make(http.Header)}
	switch dialect {
	case "openai":
		w.Path = "/api/v1/chat/completions"
	case "anthropic":
		w.Path = "/api/v1/messages"
		w.Header.Set("Anthropic-Version", "2023-06-01")
	case "gemini":
		w.Path = "/api/v1beta/models/" + model + ":generateContent"
		if stream {
			w.Path = "/api/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
		}
		return w
	}
	if stream {
		w.Body = strings.TrimSuffix(w.Body, "}") + `,"stream":true}`
	}
	return w
}

// RequestFor is the wish as an HTTP request with the rig's key.
func (r *Front) RequestFor(t testing.TB, w Wish) *http.Request {
	t.Helper()
	q := r.Request(t, http.MethodPost, w.Path)
	q.Body, q.ContentLength = io.NopCloser(strings.NewReader(w.Body)), int64(len(w.Body))
	q.Header = w.Header.Clone()
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer "+r.Key)
	return q
}

// Heard is an answer as a client sees it, with how its body ended.
type Heard struct {
	Status int
	Header http.Header
	Body   string
	Err    error
}

// Broken tells whether the connection was cut in the middle of the body.
func (h Heard) Broken() bool { return errors.Is(h.Err, io.ErrUnexpectedEOF) }

// Hear asks and listens to the end, whatever it is.
func (r *Front) Hear(t testing.TB, w Wish) Heard {
	t.Helper()
	a, err := r.Send(r.RequestFor(t, w))
	if err != nil && a.Status == 0 {
		t.Fatalf("%s: %v", w.Path, err)
	}
	return Heard{a.Status, a.Header, a.Body, err}
}

// Good asks for what must go well.
func (r *Front) Good(t testing.TB, w Wish) Heard {
	t.Helper()
	h := r.Hear(t, w)
	if h.Status != http.StatusOK || h.Err != nil {
		t.Fatalf("%s: %d %s (%v)", w.Path, h.Status, h.Body, h.Err)
	}
	return h
}

// Pairs runs a test for each of the nine pairs, by client and upstream.
func Pairs(t *testing.T, f func(t *testing.T, client, away string)) {
	t.Helper()
	for _, client := range Dialects {
		for _, away := range Dialects {
			t.Run(client+" over "+away, func(t *testing.T) {
				t.Parallel()
				f(t, client, away)
			})
		}
	}
}

// AllPairs runs a test for each pair and returns when all have ended.
func AllPairs(t *testing.T, f func(t *testing.T, client, away string)) {
	t.Helper()
	t.Run("pairs", func(t *testing.T) { Pairs(t, f) })
}

// Unrefused fails for every request that an upstream did not take: a second try
// that went well does not mend it.
func (r *Front) Unrefused(t *testing.T) {
	t.Helper()
	for _, d := range Dialects {
		for _, q := range r.Up[d].Refusals() {
			t.Errorf("%s refused a request of %d bytes: %.600s", d, len(q.Body), q.Refusal.Body)
		}
	}
}

// Straight asks an upstream again for what it was asked before, without Stele
// between, and returns its bytes.
func (r *Front) Straight(t *testing.T, dialect string, q *upstream.Recorded) string {
	t.Helper()
	again, err := http.NewRequest(q.Method, r.Up[dialect].URL+q.Path+"?"+q.Query.Encode(), bytes.NewReader(q.Body))
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

func Streamed(stream bool) string {
	if stream {
		return " streamed"
	}
	return " whole"
}

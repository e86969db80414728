package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stele/internal/generation"
)

// fake is a server that answers each request by its turn.
func fake(t *testing.T, turns ...http.HandlerFunc) (*Server, func() []*http.Request) {
	t.Helper()
	var mu sync.Mutex // guards seen
	var seen []*http.Request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n := len(seen)
		seen = append(seen, r)
		mu.Unlock()
		turns[min(n, len(turns)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return &Server{URL: s.URL, Key: "k", HTTP: s.Client()}, func() []*http.Request {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// breaks is an answer that is lost on the way, after what was written.
func breaks(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestAnOrderWhoseAnswerIsLostIsPlacedOnce(t *testing.T) {
	t.Parallel()
	s, seen := fake(t, breaks(""), says(http.StatusCreated, `{"data":{"id":"gen_1","status":"pending","result":null}}`))
	v, err := s.Order(t.Context(), Generations, []byte(`{}`))
	if err != nil || v.ID != "gen_1" {
		t.Fatalf("%+v %v", v, err)
	}
	asked := seen()
	if first := asked[0].Header.Get("Idempotency-Key"); len(asked) != 2 || first == "" || first != asked[1].Header.Get("Idempotency-Key") {
		t.Errorf("%d requests: %s", len(asked), first)
	}
}

func TestARefusalIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s, seen := fake(t, says(http.StatusTooManyRequests, `{"error":{"code":"rate_limited","message":"Slow down.","details":{"a":1}}}`))
	_, err := s.Order(t.Context(), Generations, []byte(`{}`))
	refused, ok := errors.AsType[*Refusal](err)
	if !ok || refused.Code != "rate_limited" || refused.Error() != "Slow down." || refused.Status != 429 || string(refused.Details) != `{"a":1}` {
		t.Errorf("%#v", err)
	}
	if n := len(seen()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func event(name, id, status string, progress float64) string {
	return fmt.Sprintf("event: %s\ndata: {\"id\":%q,\"status\":%q,\"progress\":%g,\"result\":null}\n\n", name, id, status, progress)
}

func TestATaskIsFollowedThroughBrokenStreams(t *testing.T) {
	t.Parallel()
	s, seen := fake(t,
		breaks(": waiting\n\n"+event("progress", "gen_1", "processing", 0.25)),
		says(http.StatusServiceUnavailable, `{"error":{"code":"unavailable","message":"Later."}}`),
		says(http.StatusOK, event("progress", "gen_1", "processing", 0.5)+event("end", "gen_1", "success", 1)))
	var told []float64
	v, err := s.Follow(t.Context(), generation.View{ID: "gen_1", App: "card", Status: "pending"}, func(v generation.View) { told = append(told, v.Progress) })
	if err != nil || v.Status != "success" || fmt.Sprint(told) != "[0.25 0.5 1]" {
		t.Errorf("%+v %v %v", v, told, err)
	}
	if path := seen()[0].URL.Path; path != "/api/v1/apps/card/generations/gen_1" {
		t.Error(path)
	}
	s, _ = fake(t, says(http.StatusNotFound, `{"error":{"code":"generation_not_found","message":"None."}}`))
	if v, err := s.Follow(t.Context(), generation.View{ID: "gen_1", Status: "pending"}, func(generation.View) {}); err == nil || v.ID != "gen_1" {
		t.Errorf("%+v %v", v, err)
	}
}

func TestAChatIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	chunk := func(text string) string { return `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n" }
	end := `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\ndata: [DONE]\n\n"
	for _, c := range []struct {
		stream string
		want   Reply
		fails  string
	}{
		{chunk("Good ") + chunk("morning") + end, Reply{Text: "Good morning", Finish: "stop", In: 3, Out: 2}, ""},
		{chunk(strings.Repeat("x", 200)) + end, Reply{Text: strings.Repeat("x", 100), Truncated: true}, ""},
		{chunk("Good "), Reply{}, "broke off"},
		{chunk("Good ") + `data: {"error":{"message":"It fell.","code":null}}` + "\n\n", Reply{}, "It fell."},
	} {
		s, _ := fake(t, says(http.StatusOK, c.stream))
		got, err := s.Chat(t.Context(), []byte(`{}`), 100, func(int) {})
		if got != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %+v %v", c.stream, got, err)
		}
	}
}

func TestADownloadIsBounded(t *testing.T) {
	t.Parallel()
	s, seen := fake(t, says(http.StatusOK, "12345"))
	var out strings.Builder
	if err := s.Download(t.Context(), s.URL+"/f", &out, 5); err != nil || out.String() != "12345" {
		t.Errorf("%q %v", out.String(), err)
	}
	if err := s.Download(t.Context(), s.URL+"/f", io.Discard, 4); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if key := seen()[0].Header.Get("Authorization"); key != "" {
		t.Error("the key was sent to a signed address")
	}
}

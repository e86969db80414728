package operate

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// openRequest is a request whose body is still on its way.
type openRequest struct {
	body *io.PipeWriter
	done chan struct{} // closed when answer or err is there
	rig.Answer
	err error
}

// openChat sends a chat request without its end and returns when a handler has
// begun to read it: that is when the server asks a client who waits with the
// body to go on.
func openChat(t *testing.T, h *rig.House, key string) *openRequest {
	t.Helper()
	read, write := io.Pipe()
	o := &openRequest{body: write, done: make(chan struct{})}
	t.Cleanup(func() { write.CloseWithError(io.ErrClosedPipe) })
	begun := make(chan struct{})
	r := h.Request(t, "POST", "/api/v1/chat/completions")
	r.Body, r.ContentLength = read, -1
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Expect", "100-continue")
	r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(begun) }}))
	go func() {
		o.Answer, o.err = h.Send(r)
		close(o.done)
	}()
	select {
	case <-begun:
	case <-o.done:
		t.Fatalf("the request was answered too early: %d %s (%v)", o.Status, o.Body, o.err)
	case <-time.After(rig.Patience):
		t.Fatal("no handler began to read the request")
	}
	o.write(t, `{"model":"any",`)
	return o
}

func (o *openRequest) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(o.body, text); err != nil {
		t.Error(err)
	}
}

// finish sends the rest and returns what became of the request.
func (o *openRequest) finish(t *testing.T) (rig.Answer, error) {
	t.Helper()
	o.write(t, `"messages":[]}`)
	o.body.Close()
	return o.wait(t)
}

func (o *openRequest) wait(t *testing.T) (rig.Answer, error) {
	t.Helper()
	select {
	case <-o.done:
	case <-time.After(rig.Patience):
		t.Fatal("the open request has no end")
	}
	return o.Answer, o.err
}

func startDraining(t *testing.T, h *rig.House) {
	t.Helper()
	h.Signal(t, syscall.SIGTERM)
	rig.Eventually(t, "the server is not ready any more", func() bool {
		a, err := h.Send(h.Request(t, "GET", "/readyz"))
		return err == nil && a.Status == http.StatusServiceUnavailable
	})
}

// TestDrainLetsOpenRequestsFinish holds a request open over SIGTERM and knocks meanwhile.
func TestDrainLetsOpenRequestsFinish(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	open := openChat(t, h, key)
	startDraining(t, h)

	for _, knock := range []struct {
		method, path string
		status       int
		kind         func(body) string // where the family has its name for it
		want         string
	}{
		{"GET", "/api/v1/models", 503, func(b body) string { return b.Error.Type }, "service_unavailable_error"},
		{"POST", "/api/v1/chat/completions", 503, func(b body) string { return b.Error.Type }, "service_unavailable_error"},
		{"POST", "/api/v1/messages", 529, func(b body) string { return b.Error.Type }, "overloaded_error"},
		{"POST", "/api/v1beta/models/any:generateContent", 503, func(b body) string { return b.Error.Status }, "UNAVAILABLE"},
		{"POST", "/api/v1/generations", 503, func(b body) string { return b.Error.Code.(string) }, "unavailable"},
	} {
		r := h.Request(t, knock.method, knock.path)
		r.Header.Set("Authorization", "Bearer "+key)
		a, err := h.Send(r)
		if err != nil {
			t.Fatal(err)
		}
		var b body
		if err := json.Unmarshal([]byte(a.Body), &b); err != nil || a.Status != knock.status || knock.kind(b) != knock.want {
			t.Errorf("%s %s: %d %s (%v), want %d %s", knock.method, knock.path, a.Status, a.Body, err, knock.status, knock.want)
		}
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", knock.method, knock.path)
		}
	}
	if a := h.Get(t, "/healthz", ""); a.Status != http.StatusOK {
		t.Errorf("/healthz: %d", a.Status)
	}
	// A client that waits for paid work is still answered.
	if a := h.Get(t, "/api/v1/generations/gen_1", key); a.Status == http.StatusServiceUnavailable {
		t.Errorf("a task while draining: %d %s", a.Status, a.Body)
	}

	// Whatever chat makes of it, it is an answer, and not that of those who came too late.
	var b body
	if a, err := open.finish(t); err != nil || a.Status == http.StatusServiceUnavailable || json.Unmarshal([]byte(a.Body), &b) != nil {
		t.Errorf("the open request: %d %s (%v)", a.Status, a.Body, err)
	}
	h.Wait(t)
}

// body is an error in the shape of any family.
type body struct {
	Error struct {
		Type   string `json:"type"`
		Status string `json:"status"`
		Code   any    `json:"code"`
	} `json:"error"`
}

// TestDrainHasAnEnd holds a request open for longer than the operator allows.
func TestDrainHasAnEnd(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{Config: "drain: 300ms\n"})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	open := openChat(t, h, key)
	h.Signal(t, syscall.SIGTERM)
	h.Wait(t)
	open.body.Close() // Go's client tells of a cut connection only when it has nothing left to send
	if a, err := open.wait(t); err == nil {
		t.Errorf("the open request was answered: %d %s", a.Status, a.Body)
	}
}

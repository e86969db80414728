package upstream

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// patience is how long a wait for something that should happen may take.
const patience = 10 * time.Second

// Recorded is a request as it came, and what became of it.
type Recorded struct {
	Method  string
	Path    string // as it was escaped
	Query   url.Values
	Header  http.Header
	Body    []byte
	Model   string    // whom it is for, from its path or its body
	At      time.Time // when its body had been read
	Refusal *Refusal  // nil if the API took it

	mu     sync.Mutex // guards what follows
	sent   int
	frames int
	gone   time.Time
	ended  bool
	bill   tally
}

// Refusal is why the API did not take a request.
type Refusal struct {
	Status int
	Body   string

	reply Reply
}

// JSON is the body, decoded: objects are map[string]any, numbers json.Number. It is
// nil if the body is not JSON.
func (r *Recorded) JSON() any {
	v, err := decode(r.Body)
	if err != nil {
		return nil
	}
	return v
}

// HungUp tells whether the client left before the answer was complete, and when.
func (r *Recorded) HungUp() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone, !r.gone.IsZero()
}

// Sent is how many bytes of the answer's body were written, and in how many frames.
func (r *Recorded) Sent() (bytes, frames int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent, r.frames
}

// Bill is what the answer costs in tokens, if it is said to its end. A request that the
// API did not take costs nothing.
func (r *Recorded) Bill() (input, output int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bill.in(), r.bill.out()
}

func (r *Recorded) billed(t tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bill = t
}

// Ended tells whether the server is done with the request, in whatever way.
func (r *Recorded) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Requests are all requests so far, in the order their bodies were complete.
func (s *Server) Requests() []*Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Recorded(nil), s.requests...)
}

// Last is the last request. The test ends if there is none.
func (s *Server) Last(t testing.TB) *Recorded {
	t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		t.Fatal("upstream: no request came")
	}
	return all[len(all)-1]
}

// Refusals are the requests that the API did not take.
func (s *Server) Refusals() []*Recorded {
	var refused []*Recorded
	for _, r := range s.Requests() {
		if r.Refusal != nil {
			refused = append(refused, r)
		}
	}
	return refused
}

// Forget empties the list of requests.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// WaitHangup waits for a client to leave before its answer was complete. Each of
// them is returned once.
func (s *Server) WaitHangup(t testing.TB) *Recorded {
	t.Helper()
	select {
	case r := <-s.hangups:
		return r
	case <-time.After(patience):
		t.Fatal("upstream: no client hung up")
		return nil
	}
}

// WaitRequests waits until n requests have come and returns them all.
func (s *Server) WaitRequests(t testing.TB, n int) []*Recorded {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if all := s.Requests(); len(all) >= n {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("upstream: %d requests came, not %d", len(s.Requests()), n)
		}
	}
}

func record(r *http.Request, body []byte) *Recorded {
	return &Recorded{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(), Body: body, At: time.Now(),
	}
}

// watch notes when the client leaves; the function it returns ends that.
func (r *Recorded) watch(s *Server, request *http.Request) func() {
	stop := context.AfterFunc(request.Context(), func() { r.left(s) })
	return func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = true
	}
}

// left notes that the client is gone, unless it is the server that leaves.
func (r *Recorded) left(s *Server) {
	select {
	case <-s.closing:
		return
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended && r.gone.IsZero() {
		r.gone = time.Now()
		s.hangups <- r
	}
}

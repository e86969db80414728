package blueprint

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"stele/internal/media"
)

// fakeKey is what every fake wants to be shown.
const fakeKey = "key-0123456789abcdef-secret"

// The lives of work. Usual work is waiting at the first look, being done at the
// second, and done at the third.
const (
	fakeUsual = ""
	fakeStays = "stays" // never done
	fakeOdd   = "odd"   // in a state that is not documented
	fakeEmpty = "empty" // done, with nothing to show
	fakeReady = "ready" // done at the first look
)

// fakeOutput is something that was made.
type fakeOutput struct {
	Type string
	Body []byte
}

// fakeStage is what all fakes share: how the next calls are to go, and a record of
// what was asked for.
type fakeStage struct {
	URL     string // the base URL of an account
	Outputs []fakeOutput

	server, delivery *httptest.Server

	mu       sync.Mutex // guards all below
	orders   []any      // the bodies that were accepted
	jobs     map[string]*job
	life     string
	fails    media.Class
	refuses  media.Class
	breaks   int
	loses    bool
	troubles []int
	held     chan struct{}
	asked    chan struct{}
	minted   int // how often links ended
	leaks    []string
}

type job struct {
	id       string
	looks    int
	canceled bool
	body     any
}

func newStage(outputs []fakeOutput, api func(*fakeStage) http.Handler) *fakeStage {
	s := &fakeStage{jobs: make(map[string]*job), Outputs: outputs, asked: make(chan struct{}, 64)}
	s.server = httptest.NewServer(api(s))
	s.delivery = httptest.NewServer(http.HandlerFunc(s.deliver))
	s.URL = s.server.URL
	return s
}

// Close ends the fake.
func (s *fakeStage) Close() {
	s.Release()
	s.server.CloseClientConnections()
	s.server.Close()
	s.delivery.Close()
}

// Accepted counts the orders that were taken, lost answers included.
func (s *fakeStage) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders)
}

// Order is the body of the last order that was taken.
func (s *fakeStage) Order() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.orders) == 0 {
		return nil
	}
	return s.orders[len(s.orders)-1]
}

// Live says how work goes from now on.
func (s *fakeStage) Live(l string) { s.set(func() { s.life = l }) }

// Fails lets all work fail.
func (s *fakeStage) Fails(c media.Class) { s.set(func() { s.fails = c }) }

// Refuses lets the next order be refused.
func (s *fakeStage) Refuses(c media.Class) { s.set(func() { s.refuses = c }) }

// Breaks answers the next order with a bare status, before it is taken.
func (s *fakeStage) Breaks(status int) { s.set(func() { s.breaks = status }) }

// Loses takes the next order and says nothing.
func (s *fakeStage) Loses() { s.set(func() { s.loses = true }) }

// Troubles answers the next look with a bare status.
func (s *fakeStage) Troubles(status int) { s.set(func() { s.troubles = append(s.troubles, status) }) }

// Expire ends all links that were given out so far.
func (s *fakeStage) Expire() { s.set(func() { s.minted++ }) }

// Forget lets the provider forget all work.
func (s *fakeStage) Forget() { s.set(func() { clear(s.jobs) }) }

// Hold keeps orders whose answer is the work waiting until Release. The channel
// tells when one is there.
func (s *fakeStage) Hold() <-chan struct{} {
	s.set(func() { s.held = make(chan struct{}) })
	return s.asked
}

// Release lets go of what Hold keeps.
func (s *fakeStage) Release() {
	s.set(func() {
		if s.held != nil {
			close(s.held)
			s.held = nil
		}
	})
}

// Leaks lists the requests that carried the key where it does not belong.
func (s *fakeStage) Leaks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaks
}

func (s *fakeStage) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// stumble plays what was ordered for the next order, and reports whether it did.
func (s *fakeStage) stumble(w http.ResponseWriter, refuse func(http.ResponseWriter, media.Class)) bool {
	s.mu.Lock()
	status, class := s.breaks, s.refuses
	s.breaks, s.refuses = 0, ""
	s.mu.Unlock()
	switch {
	case status != 0:
		w.WriteHeader(status)
	case class != "":
		refuse(w, class)
	default:
		return false
	}
	return true
}

// take accepts an order. It reports whether an answer is to be given.
func (s *fakeStage) take(w http.ResponseWriter, id string, body any) (*job, bool) {
	s.mu.Lock()
	if id == "" {
		id = fmt.Sprintf("job-%04d", len(s.orders)+1)
	}
	j := &job{id: id, body: body}
	s.orders = append(s.orders, body)
	s.jobs[id] = j
	lost, held := s.loses, s.held
	s.loses = false
	s.mu.Unlock()
	if held != nil {
		s.asked <- struct{}{}
		<-held
	}
	if lost {
		cut(w)
	}
	return j, !lost
}

// cut ends a connection in the middle.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // HTTP/1 always can
	if err == nil {
		_ = conn.Close()
	}
}

// look is one look at work: where it is now. It reports whether an answer is to
// be given at all.
func (s *fakeStage) look(w http.ResponseWriter, id string) (state media.State, j *job, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.troubles) > 0 {
		w.WriteHeader(s.troubles[0])
		s.troubles = s.troubles[1:]
		return "", nil, false
	}
	j = s.jobs[id]
	if j == nil {
		return "", nil, true
	}
	j.looks++
	switch {
	case j.canceled:
		return media.Canceled, j, true
	case s.fails != "":
		return media.Failed, j, true
	case s.life == fakeStays:
		return media.Processing, j, true
	case s.life == fakeOdd:
		return "odd", j, true
	case s.life == fakeUsual && j.looks == 1:
		return media.Pending, j, true
	case s.life == fakeUsual && j.looks == 2:
		return media.Processing, j, true
	}
	return media.Success, j, true
}

// stop cancels work, and reports whether there was any.
func (s *fakeStage) stop(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil {
		return false
	}
	j.canceled = true
	return true
}

func (s *fakeStage) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life == fakeEmpty
}

func (s *fakeStage) failing() media.Class {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fails
}

// links are addresses of the outputs on the delivery's own host, where the key
// must not be shown.
func (s *fakeStage) links() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]string, len(s.Outputs))
	for i, o := range s.Outputs {
		list[i] = fmt.Sprintf("%s/%d/%d%s", s.delivery.URL, s.minted, i, ending(o.Type))
	}
	return list
}

func (s *fakeStage) deliver(w http.ResponseWriter, r *http.Request) {
	for name, values := range r.Header {
		if strings.Contains(strings.Join(values, " "), fakeKey) {
			s.set(func() { s.leaks = append(s.leaks, name+" "+r.URL.Path) })
		}
	}
	s.serve(w, r.URL.Path)
}

// serve gives out an output by its link, unless that has ended.
func (s *fakeStage) serve(w http.ResponseWriter, path string) {
	var minted, i int
	if _, err := fmt.Sscanf(path, "/%d/%d", &minted, &i); err != nil || i < 0 || i >= len(s.Outputs) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.mu.Lock()
	ended := minted != s.minted
	s.mu.Unlock()
	if ended {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", s.Outputs[i].Type)
	_, _ = w.Write(s.Outputs[i].Body)
}

func ending(contentType string) string {
	return map[string]string{"image/png": ".png", "video/mp4": ".mp4", "audio/mpeg": ".mp3"}[contentType]
}

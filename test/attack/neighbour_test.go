package attack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// How long a good tenant's work may take beside an attack. A few milliseconds are the
// machine's own noise and say nothing about the server.
const (
	mostTimes = 2
	noise     = 50 * time.Millisecond
)

// neighbour is the good tenant at its daily work: it asks, has a picture made, runs an
// app and gets messages. What each takes beside an attack is held against what it took
// before, on the same server.
type neighbour struct {
	habits []*habit
	rounds atomic.Int64 // that are done beside an attack
	heard  chan string  // ids of generations that the neighbour was told of
	hook   string
}

// habit is one thing that the neighbour does again and again.
type habit struct {
	name  string
	do    func(context.Context) error
	usual time.Duration
	took  []time.Duration // since the attack began
}

// enough is how often a habit must have been done beside an attack for its time to be
// judged: a single one says nothing.
const enough = 3

// newNeighbour looks how long the work of the good tenant takes while no enemy attacks.
func newNeighbour(t *testing.T, s *siege) *neighbour {
	t.Helper()
	n := &neighbour{heard: make(chan string, 1000)}
	n.hook = receiver(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n.heard <- generationID.FindString(string(body))
	}))
	n.habits = []*habit{
		{name: "a request", do: s.tryGreet},
		{name: "a picture", do: func(ctx context.Context) error {
			return s.made(ctx, "/api/v1/generations", fmt.Sprintf(`{"model":"stele/canvas","mode":"text_to_image","prompt":"x","seed":7,"size":%d}`, picture))
		}},
		{name: "a run", do: func(ctx context.Context) error {
			return s.made(ctx, "/api/v1/apps/card/generations", `{"headline":"x"}`)
		}},
		{name: "a message", do: func(ctx context.Context) error { return n.message(ctx, s) }},
	}
	for i := range warming + usually { // the first rounds find nothing warm
		if i == warming {
			n.forget()
		}
		n.round(t, t.Context())
	}
	for _, h := range n.habits {
		if len(h.took) == 0 {
			t.FailNow()
		}
		h.usual = median(h.took)
	}
	n.forget()
	return n
}

// work does everything in turn until ctx ends.
func (n *neighbour) work(t *testing.T, ctx context.Context) {
	t.Helper()
	for ctx.Err() == nil {
		n.round(t, ctx)
		n.rounds.Add(1)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// round does everything once.
func (n *neighbour) round(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, h := range n.habits {
		if ctx.Err() != nil {
			return
		}
		took, ok := h.once(t, ctx)
		if ok && ctx.Err() == nil {
			h.took = append(h.took, took)
		}
	}
}

func (n *neighbour) forget() {
	n.rounds.Store(0)
	for _, h := range n.habits {
		h.took = nil
	}
}

// wait returns when the neighbour has done all its work a few times beside an attack
// that is there without doing anything more.
func (n *neighbour) wait(t *testing.T) {
	t.Helper()
	rig.Eventually(t, "the good tenant has done its work", func() bool { return n.rounds.Load() >= usually })
}

// judge tells what the attack has made of the neighbour's work, and fails, where times
// are judged, if that takes more than twice its usual time. Where the attack is over, the machine may have
// become slower by itself: then the usual time is measured again.
func (n *neighbour) judge(t *testing.T, over bool) {
	t.Helper()
	beside := make(map[*habit][]time.Duration)
	slow := false
	for _, h := range n.habits {
		beside[h] = h.took
		slow = slow || h.slow(h.took)
	}
	n.forget()
	if judged && slow && over {
		for range usually {
			n.round(t, t.Context())
		}
	}
	for _, h := range n.habits {
		if len(h.took) > 0 {
			h.usual = max(h.usual, median(h.took))
		}
		h.judge(t, beside[h])
	}
	n.forget()
}

func (h *habit) slow(took []time.Duration) bool {
	return len(took) >= enough && median(took) > mostTimes*h.usual && median(took) > noise
}

func (h *habit) judge(t *testing.T, took []time.Duration) {
	t.Helper()
	if len(took) == 0 {
		t.Logf("%s: usually %s, not done beside the attack", h.name, ms(h.usual))
		return
	}
	now := median(took)
	t.Logf("%s: usually %s, beside the attack %s (%.1f times), the slowest of %d %s",
		h.name, ms(h.usual), ms(now), float64(now)/float64(h.usual), len(took), ms(slices.Max(took)))
	if judged && h.slow(took) {
		t.Errorf("%s takes the good tenant %s instead of %s", h.name, ms(now), ms(h.usual))
	}
}

func (h *habit) once(t *testing.T, ctx context.Context) (took time.Duration, ok bool) {
	t.Helper()
	start := time.Now()
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := h.do(bounded); err != nil {
		if ctx.Err() == nil {
			t.Errorf("%s of the good tenant: %v", h.name, err)
		}
		return 0, false
	}
	return time.Since(start), true
}

var generationID = regexp.MustCompile(`gen_\w+`)

// made orders something for the good tenant and waits until it is made.
func (s *siege) made(ctx context.Context, path, order string) error {
	id, err := s.order(ctx, path, order)
	for err == nil {
		var a rig.Answer
		if a, err = s.ask(ctx, http.MethodGet, path+"/"+id+"?wait=30", ""); err != nil || strings.Contains(a.Body, `"success"`) {
			return err
		}
		if a.Status != http.StatusOK || strings.Contains(a.Body, `"failed"`) {
			return fmt.Errorf("%d %.300s", a.Status, a.Body)
		}
	}
	return err
}

// message orders something quick and waits until its receiver was told.
func (n *neighbour) message(ctx context.Context, s *siege) error {
	id, err := s.order(ctx, "/api/v1/generations", fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"x","webhook_url":%q}`, n.hook))
	for err == nil {
		select {
		case heard := <-n.heard:
			if heard == id {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("no message: %w", ctx.Err())
		}
	}
	return err
}

func (s *siege) order(ctx context.Context, path, order string) (id string, err error) {
	a, err := s.ask(ctx, http.MethodPost, path, order)
	if err == nil && a.Status != http.StatusCreated {
		err = fmt.Errorf("%d %.300s", a.Status, a.Body)
	}
	return generationID.FindString(a.Body), err
}

// ask sends a request of the good tenant.
func (s *siege) ask(ctx context.Context, method, path, body string) (rig.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return rig.Answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.good.Key)
	r.Header.Set("Content-Type", "application/json")
	return s.Send(r)
}

// receivers is where the tests' own servers may be reached from within: egress is opened
// for this address and no other.
const receivers = "127.0.0.9"

// receiver is a server that messages can be sent to.
func receiver(t *testing.T, h http.Handler) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", receivers+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	_ = s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) string { return d.Round(time.Millisecond / 10).String() }

package stream

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestAClientThatHangsUpClosesTheUpstream leaves at every stage of an answer: before
// its first byte, while it is silent, and in the middle of a flood. The upstream's
// connection is closed, and what was produced is on the row.
func TestAClientThatHangsUpClosesTheUpstream(t *testing.T) {
	t.Parallel()
	stages := []struct {
		name     string
		answer   upstream.Answer
		stream   bool
		produced bool
	}{
		{"never", upstream.Never(), true, false},
		{"never-whole", upstream.Never(), false, false},
		{"headers", upstream.Silent(0), true, false},
		{"silent", upstream.Chain(rig.Much(), upstream.Silent(6)), true, true},
		{"endless", upstream.Endless(), true, true},
	}
	var purposes []string
	for _, s := range stages {
		purposes = append(purposes, s.name)
	}
	r := rig.NewFront(t, "", rig.Lone(purposes...))
	books := r.Read(t, "")
	var longest worst
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		for _, s := range stages {
			model := s.name + "-" + client + "-" + away
			target := rig.UsualModel[away] + "-" + model
			r.On(away, target, s.answer)
			w := rig.Ask(client, model, "hi", s.stream)
			w.Header.Set("X-Request-Id", "req-"+model)
			left := leave(t, r, w, away, target, s.produced)
			q := r.LastTo(t, away, target)
			rig.Eventually(t, "the upstream sees that nobody listens", func() bool { _, gone := q.HungUp(); return gone })
			gone, _ := q.HungUp()
			longest.note(gone.Sub(left))
		}
	})
	for _, s := range stages {
		for _, client := range rig.Dialects {
			for _, away := range rig.Dialects {
				model := s.name + "-" + client + "-" + away
				row := books.Await(t, "req-"+model)
				if row.Status != 499 || row.Code != "client_gone" || row.Target != rig.UsualModel[away]+"-"+model {
					t.Errorf("%s: the row is %+v", model, row)
				}
				if s.produced && (row.Output == 0 || row.Input == 0) {
					t.Errorf("%s: nothing was metered: %+v", model, row)
				}
			}
		}
	}
	t.Logf("a client that hung up closed its upstream after %s at most, %s on average", longest.most, longest.mean())
}

// leave sends a request, waits until the upstream has it and, where something is
// produced, until the client has some of it, and hangs up. It returns when that was.
func leave(t *testing.T, r *rig.Front, w rig.Wish, away, target string, produced bool) time.Time {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		h, err := r.Client.Do(r.RequestFor(t, w).WithContext(ctx))
		if err != nil {
			return
		}
		defer h.Body.Close()
		if _, err := io.ReadFull(h.Body, make([]byte, 40)); err == nil {
			close(heard)
		}
		_, _ = io.Copy(io.Discard, h.Body)
	})
	rig.Eventually(t, "the upstream is asked", func() bool { return len(r.SentTo(away, target)) > 0 })
	if produced {
		select {
		case <-heard:
		case <-time.After(rig.Patience):
			t.Errorf("%s: nothing was heard", target)
		}
	}
	left := time.Now()
	cancel()
	all.Wait()
	return left
}

// worst keeps the longest of some durations.
type worst struct {
	mu        sync.Mutex // guards what follows
	most, sum time.Duration
	n         int
}

func (w *worst) note(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most, w.sum, w.n = max(w.most, d), w.sum+d, w.n+1
}

func (w *worst) mean() time.Duration { return w.sum / time.Duration(max(w.n, 1)) }

// TestHangingUpIsNobodysFault has many clients leave before the first byte: the
// target is asked all the same afterwards.
func TestHangingUpIsNobodysFault(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("blame"))
	const model = "blame-openai-openai"
	target := rig.UsualModel["openai"] + "-" + model
	for range 8 {
		r.Up["openai"].Forget()
		r.On("openai", target, upstream.Never())
		leave(t, r, rig.Ask("openai", model, "hi", true), "openai", target, false)
		leave(t, r, rig.Ask("openai", model, "hi", false), "openai", target, false)
	}
	r.On("openai", target, nil)
	r.Good(t, rig.Ask("openai", model, "hi", true))
}

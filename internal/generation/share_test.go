package generation_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/share"
)

// holding has the workspace of the tests hold what a test says, of 1 GB.
func (h *house) holding(t *testing.T, held *atomic.Int64) {
	t.Helper()
	k := share.New(share.Options{
		Sums: func(context.Context, string) (share.Sums, error) {
			return share.Sums{Held: share.Held{Files: held.Load()}}, nil
		},
		Free: func() share.Held { return share.Held{Files: share.Unknown, Rows: share.Unknown} },
		Most: func() int64 { return 1 << 30 }, Log: slog.New(slog.DiscardHandler), Now: h.now,
	})
	h.Share, h.Files.Share = k, k
	var running sync.WaitGroup
	running.Go(func() { k.Run(t.Context()) })
	t.Cleanup(running.Wait)
}

// A workspace that holds as much as it may orders nothing more, and what it has ordered is
// made and kept.
func TestAFullWorkspaceOrdersNothing(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	maker := &script{
		submit: func(int) (media.Status, error) { return media.Status{State: media.Processing}, nil },
		poll: func(int) (media.Status, error) {
			select {
			case <-done:
				return media.Status{State: media.Success, Outputs: []media.Output{picture()}}, nil
			default:
				return media.Status{State: media.Processing}, nil
			}
		},
	}
	h := open(t, t.TempDir(), maker)
	var held atomic.Int64
	h.holding(t, &held)
	h.start()
	begun := h.order("a cat")
	h.wait(begun.ID)

	held.Store(2 << 30)
	if err := h.Share.Read(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	for name, fields := range map[string]map[string]any{
		"an order": {"model": "test/model", "prompt": "a dog"},
		"a trial":  {"model": "test/model", "prompt": "a dog", "dry_run": true},
	} {
		ask, err := media.Parse(fields)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Create(t.Context(), who, generation.NewID(), ask)
		if e := fault.From(err); err == nil || e.Code != fault.PermissionDenied || !strings.Contains(e.Message, "2.0 GB of the 1.0 GB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.CreateRun(t.Context(), who, generation.NewID(), generation.AppRun{App: "x", MediaType: "image", Deadline: time.Hour}); fault.From(err).Code != fault.PermissionDenied {
		t.Errorf("a run: %v", err)
	}
	close(done)
	if task := h.end(begun.ID); task.State != media.Success || len(task.Outputs) != 1 {
		t.Errorf("what was ordered before ended %s: %s", task.State, task.Message)
	}
	if n, _, _ := maker.counts(); n != 1 {
		t.Errorf("%d orders were sent", n)
	}
	held.Store(0)
	if err := h.Share.Read(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	h.order("a bird")
}

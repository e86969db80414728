package studio_test

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"stele/internal/fair"
	"stele/internal/provider/studio"
)

// A workspace whose processors are taken waits, and no other does.
func TestAWorkspaceComputesOnItsOwnProcessors(t *testing.T) {
	t.Parallel()
	processors := fair.New(2, 1)
	s := studio.Open(exec.LookPath).On(processors)
	order := func(ctx context.Context, workspace string) error {
		req := asked(t, `{"model":"stele/canvas","prompt":"Harbour","size":256}`)
		req.Workspace = workspace
		_, err := s.Make(ctx, req, func(float64) {})
		return err
	}
	if !processors.TryAcquire("busy", 1) {
		t.Fatal("no processor is free")
	}
	if err := order(t.Context(), "other"); err != nil {
		t.Errorf("the other workspace's picture: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := order(short, "busy"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a picture without a processor: %v", err)
	}
	processors.Release("busy", 1)
	if err := order(t.Context(), "busy"); err != nil {
		t.Errorf("when it has one again: %v", err)
	}
	if n := processors.Taken(); n != 0 {
		t.Errorf("%d processors are held in the end", n)
	}
}

package generation

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestPollsOfOneWorkspaceDoNotDelayAnothers has ten thousand tasks of one workspace due
// at a provider that does not answer, and then one of another.
func TestPollsOfOneWorkspaceDoNotDelayAnothers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looked := make(chan string, 20000)
		s := newSchedule(func(ctx context.Context, task *Task) {
			looked <- task.Workspace
			<-ctx.Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); s.run(ctx) }()
		for i := range 10000 {
			s.add(&Task{ID: fmt.Sprint("many ", i), Workspace: "many", Provider: "maker"})
		}
		synctest.Wait()
		if n := len(looked); n != pollWidth/2 {
			t.Errorf("%d looks of one workspace are on their way, want %d", n, pollWidth/2)
		}
		for range len(looked) {
			<-looked
		}
		s.add(&Task{ID: "other", Workspace: "other", Provider: "maker", NotBefore: time.Now()})
		synctest.Wait()
		if len(looked) != 1 || <-looked != "other" {
			t.Error("another workspace's task is not looked at")
		}
		cancel()
		<-ended
	})
}

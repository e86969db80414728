package generation

import (
	"context"
	"fmt"
	"sync"
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

func TestATaskThatIsHastenedIsPolledNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		polled := make(chan string, 10)
		s := newSchedule(func(_ context.Context, task *Task) { polled <- task.ID })
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.run(ctx) })
		for _, id := range []string{"gen_1", "gen_2", "gen_3"} {
			s.add(&Task{ID: id, Workspace: "w", Provider: "p", NotBefore: time.Now().Add(time.Hour)})
		}
		begin := time.Now()
		s.hasten("gen_2")
		s.hasten("gen_9")
		if id := <-polled; id != "gen_2" || time.Since(begin) > time.Second {
			t.Errorf("%s after %s", id, time.Since(begin))
		}
		<-polled
		if took := time.Since(begin); took < time.Hour {
			t.Errorf("the others were polled after %s", took)
		}
		cancel()
		running.Wait()
	})
}

package generation

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"stele/internal/fair"
)

const (
	pollWidth  = 512             // looks at one provider's work at the same time; one workspace has half of these, and of all below
	askWidth   = 128             // submissions to one provider at the same time
	fetchWidth = 128             // tasks of one provider whose outputs are copied at the same time
	laneRoom   = 256             // jobs that wait for their turn at one provider
	lanePause  = 2 * time.Second // how long they wait there before they go back into the queue
	firstWait  = time.Second
	longestGap = time.Minute
)

// schedule calls poll for every task when it is due, in any number. Each provider
// has a lane of its own, so that one that does not answer slows no other; in a lane
// workspaces are served in turns.
type schedule struct {
	poll func(ctx context.Context, t *Task)
	wake chan struct{}

	mu    sync.Mutex // guards all below
	due   dueHeap
	known map[string]bool // waiting or being polled
	lanes map[string]*lane
}

// dueTask is a task as it was last saved, and when to look at it.
type dueTask struct {
	task *Task
	at   time.Time
}

// lane is the way to one provider.
type lane struct {
	asks, fetches *fair.Line
	looks         *fair.Semaphore

	mu  sync.Mutex // guards due
	due map[string]*dueLine
}

// dueLine are the tasks of a workspace that are due at one provider.
type dueLine struct {
	tasks   []*Task
	workers int64 // goroutines that look at them, or wait for their turn to
}

func newLane() *lane {
	return &lane{
		asks:    fair.NewLine(askWidth, fair.Half(askWidth), laneRoom, lanePause),
		fetches: fair.NewLine(fetchWidth, fair.Half(fetchWidth), laneRoom, lanePause),
		looks:   fair.New(pollWidth, fair.Half(pollWidth)), due: make(map[string]*dueLine),
	}
}

func newSchedule(poll func(context.Context, *Task)) *schedule {
	return &schedule{poll: poll, known: make(map[string]bool), lanes: make(map[string]*lane), wake: make(chan struct{}, 1)}
}

func (s *schedule) lane(provider string) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lanes[provider] == nil {
		s.lanes[provider] = newLane()
	}
	return s.lanes[provider]
}

// add has a task polled when it is due, unless it is in the schedule already.
func (s *schedule) add(t *Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[t.ID] {
		return
	}
	s.known[t.ID] = true
	s.push(dueTask{t, t.NotBefore})
}

// follows reports whether a task is in the schedule.
func (s *schedule) follows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[id]
}

// pollAgain has a task that was just polled polled once more.
func (s *schedule) pollAgain(t *Task, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(dueTask{t, time.Now().Add(jitter(wait))})
}

// hasten has a task that waits polled now.
func (s *schedule) hasten(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.due, func(d dueTask) bool { return d.task.ID == id })
	if i < 0 {
		return // it is being polled
	}
	d := heap.Remove(&s.due, i).(dueTask)
	d.at = time.Now()
	s.push(d)
}

// drop takes a task out after its poll.
func (s *schedule) drop(t *Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, t.ID)
}

func (s *schedule) push(d dueTask) {
	heap.Push(&s.due, d)
	if s.due[0] == d {
		select {
		case s.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// run polls until ctx ends, and then waits for the calls on their way.
func (s *schedule) run(ctx context.Context) {
	var calls sync.WaitGroup
	defer calls.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		for _, d := range s.popDue(time.Now()) {
			s.lane(d.task.Provider).enter(ctx, &calls, d.task, s.poll)
		}
		timer.Reset(s.untilNext())
	}
}

func (s *schedule) popDue(now time.Time) []dueTask {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []dueTask
	for len(s.due) > 0 && !s.due[0].at.After(now) {
		list = append(list, heap.Pop(&s.due).(dueTask))
	}
	return list
}

func (s *schedule) untilNext() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.due) == 0 {
		return time.Hour
	}
	return max(0, time.Until(s.due[0].at))
}

// enter polls a task now, or as soon as it is its workspace's turn.
func (l *lane) enter(ctx context.Context, calls *sync.WaitGroup, t *Task, poll func(context.Context, *Task)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.due[t.Workspace]
	if line == nil {
		line = new(dueLine)
		l.due[t.Workspace] = line
	}
	line.tasks = append(line.tasks, t)
	if line.workers >= l.looks.Share() {
		return
	}
	line.workers++
	calls.Go(func() {
		for next := l.next(t.Workspace); next != nil; next = l.next(t.Workspace) {
			if l.looks.Acquire(ctx, next.Workspace, 1) == nil {
				poll(ctx, next)
				l.looks.Release(next.Workspace, 1)
			}
		}
	})
}

// next is the task of a workspace that has been due for longest. Where it is nil the
// caller has ended.
func (l *lane) next(workspace string) *Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.due[workspace]
	if len(line.tasks) == 0 {
		if line.workers--; line.workers == 0 {
			delete(l.due, workspace)
		}
		return nil
	}
	t := line.tasks[0]
	line.tasks = line.tasks[1:]
	return t
}

// jitter keeps tasks that began together from being polled together.
func jitter(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5+1) }

// pause is how long to wait for a maker that did or did not say.
func pause(wait time.Duration) time.Duration {
	if wait <= 0 {
		return firstWait
	}
	return wait
}

// backoff grows with every try.
func backoff(tries int) time.Duration {
	return min(firstWait<<min(max(tries-1, 0), 10), longestGap)
}

type dueHeap []dueTask

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueTask)) }
func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

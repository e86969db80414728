package generation

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	pollWidth  = 256 // looks at one provider's work at the same time
	askWidth   = 64  // submissions to one provider at the same time
	fetchWidth = 64  // tasks of one provider whose outputs are copied at the same time
	firstWait  = time.Second
	longestGap = time.Minute
)

// schedule calls poll for every task when it is due, in any number. Each provider
// has a lane of its own, so that one that does not answer slows no other.
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
	asks, fetches places

	mu    sync.Mutex // guards all below
	polls int        // on their way
	queue []*Task    // due, and without room
}

func newSchedule(poll func(context.Context, *Task)) *schedule {
	return &schedule{poll: poll, known: make(map[string]bool), lanes: make(map[string]*lane), wake: make(chan struct{}, 1)}
}

func (s *schedule) lane(provider string) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lanes[provider] == nil {
		s.lanes[provider] = &lane{asks: places{most: askWidth}, fetches: places{most: fetchWidth}}
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

// again has a task that was just polled polled once more.
func (s *schedule) again(t *Task, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(dueTask{t, time.Now().Add(jitter(wait))})
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

// enter polls a task now, or as soon as the lane has room.
func (l *lane) enter(ctx context.Context, calls *sync.WaitGroup, t *Task, poll func(context.Context, *Task)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.polls >= pollWidth {
		l.queue = append(l.queue, t)
		return
	}
	l.polls++
	calls.Go(func() {
		for next := t; next != nil; next = l.next(ctx) {
			poll(ctx, next)
		}
	})
}

// next is the task that has waited longest for room, nil for none.
func (l *lane) next(ctx context.Context) *Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 || ctx.Err() != nil {
		l.polls--
		return nil
	}
	t := l.queue[0]
	l.queue = l.queue[1:]
	return t
}

// jitter keeps tasks that began together from being polled together.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}

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

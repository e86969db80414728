package generation

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	paceAmong = 2000 // tasks that a start looks at
	paceKept  = 25   // durations of a mode that the median is made of
	paceLeast = 3    // fewer show nothing
)

// Took is how long a task took.
type Took struct {
	Model, Mode string
	For         time.Duration
}

// pace is how long the last tasks took, by model and mode.
type pace struct {
	mu   sync.Mutex // guards last
	last map[[2]string][]time.Duration
}

func (p *pace) add(t Took) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = make(map[[2]string][]time.Duration)
	}
	mode := [2]string{t.Model, t.Mode}
	list := append(p.last[mode], t.For)
	p.last[mode] = list[max(0, len(list)-paceKept):]
}

// median is how long half of the last tasks of a mode took at most; 0 where too few are
// known.
func (p *pace) median(model, mode string) time.Duration {
	p.mu.Lock()
	list := slices.Clone(p.last[[2]string{model, mode}])
	p.mu.Unlock()
	if len(list) < paceLeast {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// recallPace looks at what ended before this process began.
func (s *Service) recallPace(ctx context.Context) {
	list, err := s.Store.Durations(ctx, paceAmong)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "how long generations take is not known", slog.Any("error", err))
		}
		return
	}
	for _, took := range slices.Backward(list) {
		s.pace.add(took)
	}
}

// expectedEnd is when a task will probably have ended; zero where the past does not show it.
func (s *Service) expectedEnd(t *Task) time.Time {
	median := s.pace.median(t.Model, t.Mode)
	if median == 0 || t.App != "" {
		return time.Time{}
	}
	at := t.Created.Add(median)
	if at.Before(s.Now()) {
		return time.Time{} // it takes longer than most
	}
	return at
}

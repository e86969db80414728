package queue

import (
	"context"
	"time"

	"stele/internal/fair"
)

const (
	patience  = 10 * time.Second // of a job that was fetched and waits for its turn
	leastRoom = 64               // jobs that may wait for their turn in this process
	handing   = 64               // jobs that are on their way back into the queue
)

// enterLine gives a job of a workspace its place, or says when it is to come back.
type enterLine func(workspace string) (leave func(), again time.Duration)

func workspaceOf(j Job) string {
	if owned, ok := j.(Owned); ok {
		return owned.OfWorkspace()
	}
	return ""
}

// newLine is where the jobs of a kind wait for their turn. River fetches them in the
// order they came; which of them is done next is decided here.
func newLine(w Work, kind Job) *fair.Line {
	size := int64(max(1, w.Workers))
	share := size
	if _, owned := kind.(Owned); owned {
		share = fair.Half(size)
	}
	return fair.NewLine(size, share, w.room(), patience)
}

func (w *Work) room() int { return max(leastRoom, w.Workers/4) }

// mostHeld is how many jobs River may have fetched at a time: those being done, those
// that wait for their turn, and some that are being sent back.
func (w *Work) mostHeld() int { return max(1, w.Workers) + w.room() + handing }

func (w *Work) timeout() time.Duration {
	if w.Timeout <= 0 {
		return longest
	}
	return w.Timeout
}

// waitInLine waits for the turn of a job until the queue stops.
func (w *worker) waitInLine(ctx context.Context, workspace string) (leave func(), again time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.leaving, cancel)()
	if leave, again = w.line.Enter(ctx, workspace); leave == nil && w.leaving.Err() != nil {
		again = time.Millisecond // for the process that starts next
	}
	return leave, again
}

const (
	burstSpan  = 30 * time.Second // what counts as lately
	firstBurst = 64               // jobs lately that are not many; eight times as many are one priority lower
	lowest     = 4                // River's
)

// priority counts a job and gives River's priority for it, 1 for the highest. A workspace
// that brings many at once gets a lower one, so that the first job of another workspace
// does not stand behind all of them.
func (q *Queue) priority(j Job, now time.Time) int {
	workspace := workspaceOf(j)
	if workspace == "" {
		return 1
	}
	n, priority := q.recent.Add(j.Kind()+"/"+workspace, now), 1
	for most := float64(firstBurst); n > most && priority < lowest; most *= 8 {
		priority++
	}
	return priority
}

package queue

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// notifier tells River's client in this process that there may be work. It stands in
// for the engines' own notices: PostgreSQL's makes commits wait for each other,
// SQLite's is a table that is polled through the one writer.
type notifier struct {
	wake chan struct{}

	mu    sync.Mutex // guards all below
	kinds map[string]bool
	since time.Time // when notices began to be counted
	count int       // since then
	later bool      // it will wake River by itself
}

// In a burst of jobs River is woken once in a while for all of them: looking for work
// each time would take the database from those who bring it.
const (
	burstNotices = 8 // more than these in one pause
	noticePause  = 100 * time.Millisecond
)

func newNotifier() *notifier {
	return &notifier{wake: make(chan struct{}, 1), kinds: make(map[string]bool)}
}

// WaitForNotification waits for a job. What it gives is River's word for a new one.
func (n *notifier) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for {
		if kind, ok := n.take(); ok {
			return &riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + kind + `"}`}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.wake:
		}
	}
}

// Close has nothing to do here, as all that follows.
func (*notifier) Close(context.Context) error            { return nil }
func (*notifier) Connect(context.Context) error          { return nil }
func (*notifier) Listen(context.Context, string) error   { return nil }
func (*notifier) Ping(context.Context) error             { return nil }
func (*notifier) Schema() string                         { return "" }
func (*notifier) SetAfterConnectExec(string)             {}
func (*notifier) Unlisten(context.Context, string) error { return nil }

func (n *notifier) notify(kind string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kinds[kind] = true
	if time.Since(n.since) > noticePause {
		n.since, n.count = time.Now(), 0
	}
	if n.count++; n.count <= burstNotices {
		n.signal()
	} else if !n.later {
		n.later = true
		time.AfterFunc(noticePause, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.later = false
			n.signal()
		})
	}
}

func (n *notifier) signal() {
	select {
	case n.wake <- struct{}{}:
	default: // River has not looked yet
	}
}

func (n *notifier) take() (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for kind := range n.kinds {
		delete(n.kinds, kind)
		return kind, true
	}
	return "", false
}

// notified is a driver of River that listens to the notifier, and is told of finished jobs alone.
type notified[TX any] struct {
	riverdriver.Driver[TX]
	notifier *notifier
}

func driver[TX any](d riverdriver.Driver[TX], n *notifier) riverdriver.Driver[TX] {
	return notified[TX]{d, n}
}

// GetExecutor gives the driver's own, which cannot end the process.
func (d notified[TX]) GetExecutor() riverdriver.Executor { return finisher{d.Driver.GetExecutor()} }

// GetListener gives the notifier.
func (d notified[TX]) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.notifier
}

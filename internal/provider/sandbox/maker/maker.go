// Package maker is the sandbox for media: it plays any provider's life at any
// speed, costs nothing, and fails in every way that the prompt orders. It writes
// a journal of what it accepted, which outlives the process, as a provider's own
// books would.
package maker

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"stele/internal/fair"
	"stele/internal/media"
)

// Journal is the sandbox's own record of what it accepted: entries are added and
// never changed. A key that is there twice was accepted, and would have been paid
// for, twice.
type Journal interface {
	Accept(ctx context.Context, key string, life []byte) error
	// FindAccepted finds the life of the first entry of a key.
	FindAccepted(ctx context.Context, key string) (life []byte, found bool, err error)
}

// Maker is the sandbox. It is safe for concurrent use.
type Maker struct {
	journal Journal
	now     func() time.Time
	drawing *fair.Semaphore // a processor for each picture

	mu      sync.Mutex // guards all below
	refused map[string]int
	stopped map[string]bool
}

// New opens the sandbox, which draws on processors that workspaces share.
func New(journal Journal, processors *fair.Semaphore, now func() time.Time) *Maker {
	return &Maker{journal: journal, now: now, drawing: processors, refused: make(map[string]int), stopped: make(map[string]bool)}
}

// Submit accepts work, as the orders in the prompt will have it.
func (m *Maker) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	l, err := readLife(req)
	if err != nil {
		return media.Status{}, err
	}
	if m.refuse(req.Key, l) {
		return media.Status{}, &media.Failure{
			Class: l.Refuse, Message: "The sandbox was ordered to refuse this.", RetryAfter: l.RetryAfter,
		}
	}
	l.Key, l.Workspace, l.At = req.Key, req.Workspace, m.now()
	ticket, err := json.Marshal(l)
	if err != nil {
		return media.Status{}, &media.Failure{Class: media.Transient, Message: "The sandbox failed.", Err: err}
	}
	if err := m.journal.Accept(ctx, req.Key, ticket); err != nil {
		return media.Status{}, &media.Failure{Class: media.SubmitUnknown, Message: "The sandbox's journal could not be written.", Err: err}
	}
	if l.Lose {
		return media.Status{}, &media.Failure{Class: media.SubmitUnknown, Message: "The sandbox was ordered to lose its answer."}
	}
	if l.Hang {
		<-ctx.Done()
		return media.Status{}, &media.Failure{Class: media.SubmitUnknown, Message: "The sandbox was ordered not to answer.", Err: ctx.Err()}
	}
	status := m.status(l, l.At) // however long it took to write it down
	status.Ticket = ticket
	return status, nil
}

// refuse counts down the refusals that were ordered for a key.
func (m *Maker) refuse(key string, l life) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.Refuse == "" || m.refused[key] >= l.Refusals {
		delete(m.refused, key)
		return false
	}
	m.refused[key]++
	return true
}

// Poll tells how far work is. It reckons from the ticket alone.
func (m *Maker) Poll(ctx context.Context, t media.Ticket) (media.Status, error) {
	var l life
	if json.Unmarshal(t, &l) != nil {
		return media.Status{}, &media.Failure{Class: media.Gone, Message: "The sandbox does not know this work."}
	}
	if l.Silent {
		<-ctx.Done()
		return media.Status{}, &media.Failure{Class: media.Transient, Message: "The sandbox was ordered to be silent.", Err: ctx.Err()}
	}
	if l.Expire > 0 && !l.Forever && m.now().After(l.ends().Add(l.Expire)) {
		return media.Status{}, errExpired()
	}
	status := m.status(l, m.now())
	status.Ticket = t
	return status, nil
}

// status tells how far work is at some time.
func (m *Maker) status(l life, now time.Time) media.Status {
	m.mu.Lock()
	stopped := m.stopped[l.Key]
	m.mu.Unlock()
	status := media.Status{State: media.Pending, Wait: l.Wait}
	switch {
	case stopped:
		status.State, status.Failure = media.Failed, &media.Failure{Class: media.Stopped, Message: "The work was stopped."}
	case l.Forever || l.Silent || now.Before(l.At.Add(l.Queue)): // the silent ones are to be looked at
	case now.Before(l.ends()):
		status.State = media.Processing
		status.Progress = float64(now.Sub(l.At.Add(l.Queue))) / float64(l.Work)
	case l.Fail != "":
		status.State = media.Failed
		status.Failure = &media.Failure{Class: l.Fail, Message: "The sandbox was ordered to fail."}
	default:
		status.State, status.Progress, status.Outputs = media.Success, 1, m.outputs(l)
	}
	if left := l.ends().Sub(now); status.State == media.Processing && left < status.Wait && !l.Paced {
		status.Wait = max(left, time.Millisecond)
	}
	return status
}

// Cancel stops work in this process.
func (m *Maker) Cancel(_ context.Context, t media.Ticket) error {
	var l life
	if json.Unmarshal(t, &l) == nil && m.now().Before(l.ends()) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.stopped[l.Key] = true
	}
	return nil
}

// Forget lets go of what is known of finished work.
func (m *Maker) Forget(t media.Ticket) {
	var l life
	if json.Unmarshal(t, &l) == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.stopped, l.Key)
	}
}

// Find looks work up in the journal.
func (m *Maker) Find(ctx context.Context, key string, _ time.Time) (media.Ticket, bool, error) {
	ticket, found, err := m.journal.FindAccepted(ctx, key)
	return ticket, found, err
}

// SettledAfter is at once: the journal is written before the answer.
func (*Maker) SettledAfter() time.Duration { return 0 }

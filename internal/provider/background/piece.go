package background

import (
	"context"
	"sync"
	"time"

	"stele/internal/media"
)

// lookAgain is how soon it is worth asking after work that goes on.
const lookAgain = 200 * time.Millisecond

// piece is a piece of work.
type piece struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu        sync.Mutex // guards all below
	state     media.State
	withdrawn bool
	progress  float64
	outputs   []media.Output
	failure   *media.Failure
	ended     time.Time
}

func (p *piece) hasBegun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state != media.Pending
}

// begin reports whether the piece is still wanted.
func (p *piece) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.withdrawn {
		return false
	}
	p.state = media.Processing
	return true
}

// withdraw stops the piece unless it has begun.
func (p *piece) withdraw() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != media.Pending {
		return false
	}
	p.withdrawn = true
	p.cancel()
	return true
}

// report takes progress, which never goes back.
func (p *piece) report(progress float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = max(p.progress, min(progress, 1))
}

func (p *piece) end(ctx context.Context, outputs []media.Output, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer close(p.done)
	p.ended = time.Now()
	switch {
	case err == nil && len(outputs) > 0:
		p.state, p.outputs, p.progress = media.Success, outputs, 1
	case err == nil:
		p.state, p.failure = media.Failed, &media.Failure{Class: media.ModelFailed, Message: "The model made nothing."}
	case ctx.Err() != nil:
		p.state, p.failure = media.Failed, &media.Failure{Class: media.Stopped, Message: "The work was stopped.", Err: err}
	default:
		p.state, p.failure = media.Failed, media.ToFailure(err)
	}
}

func (p *piece) hasFailed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state == media.Failed
}

func (p *piece) hasEndedBefore(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ended.IsZero() && p.ended.Before(t)
}

func (p *piece) status() media.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return media.Status{State: p.state, Progress: p.progress, Outputs: p.outputs, Failure: p.failure, Wait: lookAgain}
}

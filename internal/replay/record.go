package replay

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/pause"
)

// silentRecording is how long a process may be silent before its answers are taken for
// lost. A mistake costs the answer, so it is longer than for other claims.
const silentRecording = 20 * time.Second

// Making is how a recorded answer comes about.
type Making struct {
	Request string // the request's id, which a lost answer is told with
	// Make makes the answer. It is called at most once, and must not panic.
	Make func(ctx context.Context, t *Take) Result
	// Lost is how an answer ends whose process died after an upstream was asked.
	Lost func(Remains) Answer
	// Refuse is told where nothing was recorded yet; nil: then the answer is made.
	Refuse  error
	Private bool          // its bytes must not be saved
	Lease   *memory.Lease // of what it holds; the recording closes it
	Linger  time.Duration // how long it goes on without a follower
	Most    int64         // bytes that are kept
}

// Remains are what a process that died has left of an answer.
type Remains struct {
	Request string // the id of the request that it was made for
	Head    Head   // of status 0 where it had not begun
	Bytes   []byte
}

// Record gives a request the answer of its key as it is recorded: by the request that is
// at it, here or in another process, by one before it, or by this one, which then makes
// it. What is made does not end with ctx. The follower must leave.
func (s *Service) Record(ctx context.Context, r Request, m Making) (*Follower, error) {
	for {
		rec, follower, err := s.joinRecording(ctx, r, &m)
		if err != nil || follower != nil {
			return follower, err
		}
		// Another request has the key here. It may be the one that is in conflict.
		if bound, err := rec.awaitDecision(ctx); err != nil {
			return nil, err
		} else if bound {
			return nil, refuseConflict()
		}
	}
}

// joinRecording begins a recording or follows the one that is here. It gives that alone
// where it is of another fingerprint.
func (s *Service) joinRecording(ctx context.Context, r Request, m *Making) (*recording, *Follower, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := s.recordings[r.Scope]
	if rec != nil {
		if rec.fingerprint != r.Fingerprint {
			return rec, nil, nil
		}
		m.Lease.Close()
		f, err := rec.follow(false)
		return rec, f, err
	}
	if s.stopping {
		m.Lease.Close()
		return nil, nil, errStopping()
	}
	rec = &recording{
		fingerprint: r.Fingerprint, linger: m.Linger, most: m.Most, lease: m.Lease,
		changed: make(chan struct{}), followers: make(map[*Follower]bool), forget: func() { s.forget(r.Scope) },
	}
	ctx, rec.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	f, err := rec.follow(true)
	if err != nil {
		return nil, nil, err
	}
	s.recordings[r.Scope] = rec
	s.recorders.Go(func() {
		defer rec.cancel(nil)
		s.record(ctx, rec, r, m)
	})
	return rec, f, nil
}

func (s *Service) forget(scope Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.recordings, scope)
}

// Stop ends all answers that are being recorded, and waits until what there is of them
// is saved, or ctx ends.
func (s *Service) Stop(ctx context.Context) {
	s.mu.Lock()
	s.stopping = true
	for _, rec := range s.recordings {
		rec.cancel(errStopping())
	}
	s.mu.Unlock()
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		s.recorders.Wait()
	}()
	select {
	case <-saved:
	case <-ctx.Done():
	}
}

// awaitDecision waits until it is known whether the key stands for the recording's fingerprint.
func (r *recording) awaitDecision(ctx context.Context) (bound bool, err error) {
	for {
		r.mu.Lock()
		bound, ended, changed := r.bound, r.ended, r.changed
		r.mu.Unlock()
		if bound || ended {
			return bound, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// record fills a recording: with what the store has, with what another process adds
// there, or with what is made.
func (s *Service) record(ctx context.Context, rec *recording, r Request, m *Making) {
	asked := Claim{Scope: r.Scope, Fingerprint: r.Fingerprint, ID: r.ID, Owner: s.Node, Tries: 1}
	reader := &pieceReader{service: s, recording: rec}
	for {
		now := s.Now()
		silent := now
		if !s.Alone {
			silent = now.Add(-silentRecording)
		}
		asked.Since = now
		c, mine, err := s.Store.Claim(ctx, asked, now.Add(-Kept), silent)
		if err == nil && c.Fingerprint != r.Fingerprint {
			err = refuseConflict()
		}
		if err == nil && c.ID != reader.claim {
			err = reader.begin(c.ID)
		}
		if err != nil {
			rec.end(Whole, err, nil)
			return
		}
		rec.update(func() { rec.bound = true })
		switch {
		case mine:
			s.takeUp(ctx, reader, c, m)
			return
		case c.Answer.Status != 0:
			reader.finish(ctx, c.Answer)
			return
		}
		if err := reader.read(ctx, 0); err != nil {
			rec.end(Whole, err, nil)
			return
		}
		if pause.For(ctx, lookAt) != nil || rec.isDeserted() {
			rec.end(Whole, errDeserted(), nil)
			return
		}
	}
}

// takeUp makes the answer to a claim that is this process's, unless a process that died
// has asked for it already.
func (s *Service) takeUp(ctx context.Context, reader *pieceReader, c Claim, m *Making) {
	if c.Tries > 1 {
		if err := reader.read(ctx, 0); err != nil {
			reader.recording.end(Whole, err, nil)
			return
		}
		if reader.next > placeAsked {
			s.lose(ctx, reader, c, m)
			return
		}
	}
	take := newTake(reader.recording, s, c, m)
	if m.Refuse != nil {
		take.finish(ctx, Result{Err: m.Refuse, Free: true})
		return
	}
	reader.recording.update(func() { reader.recording.own = true })
	take.finish(ctx, m.Make(ctx, take))
}

// lose saves how an answer ends that was never finished, and shows it.
func (s *Service) lose(ctx context.Context, reader *pieceReader, c Claim, m *Making) {
	rec := reader.recording
	rec.mu.Lock()
	remains := Remains{Request: reader.request, Head: rec.head, Bytes: rec.buf}
	rec.mu.Unlock()
	c.Answer = m.Lost(remains)
	if remains.Head.Status != 0 {
		c.Answer.Pieces = reader.next
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	if err := s.Store.FinishClaim(bounded, c); err != nil && !errors.Is(err, ErrLost) {
		rec.end(Whole, err, nil)
		return
	} else if err != nil { // another process was faster: what it saved is the same
		rec.end(Cut, inProgress(), nil)
		return
	}
	reader.finish(ctx, c.Answer)
}

// pieceReader reads what the store has of an answer.
type pieceReader struct {
	service   *Service
	recording *recording
	claim     string // its id
	request   string
	next      int64 // place of the next piece
}

// begin reads the answer of a claim. Where another one was read before, that was freed.
func (p *pieceReader) begin(claim string) error {
	if p.claim != "" && p.next > placeHead {
		return inProgress()
	}
	p.claim, p.next = claim, 0
	return nil
}

// read takes over the pieces that have come, up to a place if that is not 0.
func (p *pieceReader) read(ctx context.Context, until int64) error {
	list, err := p.service.Store.Pieces(ctx, p.claim, p.next)
	if err != nil {
		return err
	}
	r, size := p.recording, int64(0)
	for _, piece := range list {
		size += int64(len(piece.Body))
	}
	if err := r.lease.Grow(ctx, size); err != nil {
		return err
	}
	defer r.lease.Shrink(size)
	for _, piece := range list {
		if until > 0 && piece.Place >= until {
			return nil
		}
		p.next = piece.Place + 1
		switch piece.Place {
		case placeAsked:
			p.request = string(piece.Body)
		case placeHead:
			r.mu.Lock()
			err = json.Unmarshal(piece.Body, &r.head)
			r.mu.Unlock()
		default:
			if err = r.put(ctx, piece.Body); err == nil {
				r.update(func() { r.ready = r.base + int64(len(r.buf)) })
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish takes over an answer that is known to its end.
func (p *pieceReader) finish(ctx context.Context, a Answer) {
	r, size := p.recording, int64(len(a.Body))
	err := r.lease.Grow(ctx, size)
	if err == nil {
		defer r.lease.Shrink(size)
		err = p.read(ctx, max(a.Pieces, 1))
	}
	if err == nil {
		r.update(func() { r.head = Head{a.Status, a.Type, a.Header} })
		err = r.put(ctx, a.Body)
	}
	r.end(a.Ending, err, nil)
}

func refuseNotKept() error {
	return fault.New(fault.IdempotencyNotKept, "The first request with this Idempotency-Key was answered, and its answer was not kept: "+
		"it is too long, or nothing that is said may be kept here. It was not asked for again: take a new key to do so.").
		Field("Idempotency-Key")
}

// OutcomeUnknown is told of a request that was begun and whose answer is lost.
func OutcomeUnknown() *fault.Error { return outcomeUnknown() }

func outcomeUnknown() *fault.Error {
	return fault.New(fault.IdempotencyOutcomeUnknown, "The first request with this Idempotency-Key was broken off while it was answered, "+
		"and what came of it is not known. It was not asked for again: take a new key to do so.").
		Field("Idempotency-Key")
}

func errDeserted() *fault.Error {
	return fault.New(fault.Unavailable, "The client was gone for longer than an answer goes on without it.").Because(context.Canceled)
}

func errStopping() *fault.Error { return fault.Stopping().Because(context.Canceled) }

package replay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// betweenPieces is between two pieces of one answer: as often as it is saved, clients see more of it.
const betweenPieces = 20 * time.Millisecond

// Take is an answer that is being made and recorded. Its maker calls MarkAsked before
// anything is asked of an upstream, then Begin, then Write for whole events. It is for
// one goroutine.
type Take struct {
	recording *recording
	store     Store
	unsent    Unsent // nil: there is no such list
	claim     Claim
	request   string
	private   bool
	lost      func(Remains) Answer
	now       func() time.Time
	asked     bool
	begun     bool
	place     int64 // of the next piece; the saver's, as long as there is one
	saver     sync.WaitGroup
	work      chan struct{} // something is to be saved; nil: there is no saver
	stop      chan struct{} // closed when the saver is to end

	mu     sync.Mutex // guards what follows
	saved  int64      // bytes of the answer that are in pieces
	flush  int64      // up to where it is to be saved
	failed error      // why no more of it is saved
}

func newTake(r *recording, s *Service, c Claim, m *Making) *Take {
	return &Take{recording: r, store: s.Store, unsent: s.Unsent, claim: c, request: m.Request, private: m.Private, lost: m.Lost, now: s.Now, place: placeHead}
}

// MarkAsked notes that an upstream is asked from now on: who finds the claim left knows
// that the answer may have been paid for. To save that takes its time; a process that dies
// meanwhile has sent nothing, and the list of the unsent says so.
func (t *Take) MarkAsked(ctx context.Context) error {
	if t.asked {
		return nil
	}
	if t.unsent != nil {
		t.unsent.Put(t.claim.ID)
	}
	err := t.store.AppendPiece(ctx, t.claim, Piece{Place: placeAsked, At: t.now(), Body: []byte(t.request)})
	if t.unsent != nil {
		err = errors.Join(err, t.unsent.Strike(t.claim.ID))
	}
	t.asked = err == nil
	return err
}

// WasAsked reports whether an upstream may have been asked.
func (t *Take) WasAsked() bool { return t.asked }

// HasBegun reports whether the answer has begun.
func (t *Take) HasBegun() bool { return t.begun }

// Begin says what comes before the answer's bytes.
func (t *Take) Begin(h Head) {
	t.begun = true
	t.recording.update(func() { t.recording.head = h })
}

// Write adds to the answer. Followers see it when it is flushed and saved, or when the
// answer ends.
func (t *Take) Write(ctx context.Context, b []byte) error { return t.recording.put(ctx, b) }

// Flush has what was written saved and shown.
func (t *Take) Flush(ctx context.Context) {
	if t.work == nil {
		t.work, t.stop = make(chan struct{}, 1), make(chan struct{})
		t.saver.Go(func() { t.save(context.WithoutCancel(ctx)) })
	}
	r := t.recording
	r.mu.Lock()
	written := r.base + int64(len(r.buf))
	r.mu.Unlock()
	t.mu.Lock()
	t.flush = written
	t.mu.Unlock()
	select {
	case t.work <- struct{}{}:
	default: // it will see all that is there
	}
}

// save saves pieces until stop is closed. What is left then goes with the claim's end.
func (t *Take) save(ctx context.Context) {
	for {
		select {
		case <-t.work:
		case <-t.stop:
			return
		}
		piece, until, more := t.next()
		if !more {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, saving)
		err := t.savePiece(bounded, piece)
		cancel()
		t.show(until, err)
		select {
		case <-time.After(betweenPieces):
		case <-t.stop:
			return
		}
	}
}

// show lets followers read what was saved. What cannot be saved is given to those who are
// here and not kept, unless another process has the claim: then nothing more is given.
func (t *Take) show(until int64, err error) {
	t.mu.Lock()
	t.saved, t.failed = until, err
	t.mu.Unlock()
	r := t.recording
	if errors.Is(err, ErrLost) {
		r.cancel(outcomeUnknown().Because(errors.Join(ErrLost, context.Canceled)))
		return
	}
	r.update(func() {
		if err != nil {
			r.spilled, until = true, r.base+int64(len(r.buf))
		}
		r.ready = max(r.ready, until)
	})
}

// next is what is to be saved.
func (t *Take) next() (piece []byte, until int64, more bool) {
	r := t.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.spilled || t.failed != nil || t.flush <= t.saved {
		return nil, 0, false
	}
	return r.buf[t.saved-r.base : t.flush-r.base], t.flush, true
}

// savePiece saves bytes, the head before the first of them.
func (t *Take) savePiece(ctx context.Context, b []byte) error {
	if t.private {
		return nil
	}
	if t.place == placeHead {
		t.recording.mu.Lock()
		head, err := json.Marshal(t.recording.head)
		t.recording.mu.Unlock()
		if err == nil {
			err = t.store.AppendPiece(ctx, t.claim, Piece{Place: placeHead, At: t.now(), Body: head})
		}
		if err != nil {
			return err
		}
		t.place = placeBytes
	}
	err := t.store.AppendPiece(ctx, t.claim, Piece{Place: t.place, At: t.now(), Body: b})
	if err == nil {
		t.place++
	}
	return err
}

// Result is what came of making an answer.
type Result struct {
	Cut  bool  // the answer was broken off, and its last bytes say so
	Err  error // there is no answer: this is what those who follow are told
	Free bool  // with Err: the key is free again; else the next client is told that the answer is lost
}

// finish saves how the answer ended and shows it.
func (t *Take) finish(ctx context.Context, result Result) {
	if t.work != nil {
		close(t.stop)
		t.saver.Wait()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	r := t.recording
	if result.Err != nil {
		r.end(Whole, result.Err, t.abandon(ctx, result.Free))
		return
	}
	err := t.failed
	if !errors.Is(err, ErrLost) {
		err = errors.Join(err, t.store.FinishClaim(ctx, t.withAnswer(result)))
	}
	switch {
	case errors.Is(err, ErrLost):
		r.end(Cut, outcomeUnknown(), nil)
	case result.Cut:
		r.end(Cut, nil, err)
	default:
		r.end(Whole, nil, err)
	}
}

// abandon ends a claim without the answer that it was for.
func (t *Take) abandon(ctx context.Context, free bool) error {
	if free {
		return t.store.FreeClaim(ctx, t.claim)
	}
	c, remains := t.claim, Remains{Request: t.request}
	if t.place >= placeBytes {
		t.recording.mu.Lock()
		remains.Head, remains.Bytes = t.recording.head, t.recording.buf[:t.saved]
		t.recording.mu.Unlock()
	}
	c.Answer = t.lost(remains)
	if remains.Head.Status != 0 {
		c.Answer.Pieces = t.place
	}
	return t.store.FinishClaim(ctx, c)
}

// withAnswer gives the claim with the answer. Nothing else writes to the recording any more.
func (t *Take) withAnswer(result Result) Claim {
	r := t.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	c := t.claim
	c.Answer = Answer{Status: r.head.Status, Type: r.head.Type, Header: r.head.Header}
	switch {
	case r.spilled || t.private:
		c.Answer.Ending = NotKept
		return c
	case result.Cut:
		c.Answer.Ending = Cut
	}
	if t.place >= placeBytes {
		c.Answer.Pieces = t.place
	}
	c.Answer.Body = r.buf[t.saved:]
	return c
}

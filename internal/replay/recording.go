package replay

import (
	"bytes"
	"context"
	"sync"
	"time"

	"stele/internal/memory"
)

// Head is what comes before the bytes of an answer.
type Head struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Header string `json:"header,omitzero"`
}

// recording is an answer under a key as far as this process has it: while it makes the
// answer, or reads it from the store.
type recording struct {
	fingerprint string
	linger      time.Duration // how long it goes on without a follower
	most        int64         // bytes that are kept
	lease       *memory.Lease // what it holds
	cancel      context.CancelCauseFunc
	forget      func() // has the next request with the key look for itself

	mu        sync.Mutex // guards all below
	changed   chan struct{}
	followers map[*Follower]bool
	idle      *time.Timer // nil: it has followers
	bound     bool        // the key is known to stand for the fingerprint
	own       bool        // this process makes the answer, for the first time
	head      Head
	buf       []byte
	base      int64 // where buf begins in the answer
	ready     int64 // up to where followers may read
	spilled   bool  // it is too long to be kept: what all followers have read is let go
	ended     bool
	ending    Ending
	err       error // why there is no answer, or no more of it
	unsaved   error // why an answer that was given may not be found again
}

// spillRoom is how far an answer that is not kept may be ahead of its slowest follower.
const spillRoom = 256 << 10

// update changes the recording and wakes those who wait for that.
func (r *recording) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.wake()
}

// wake is for those who hold mu.
func (r *recording) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Follower reads a recording. It must leave.
type Follower struct {
	recording *recording
	first     bool // its request began the recording
	at        int64
}

// follow adds a follower, unless its beginning is gone already.
func (r *recording) follow(first bool) (*Follower, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spilled {
		return nil, refuseNotKept()
	}
	f := &Follower{recording: r, first: first}
	r.followers[f] = true
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	return f, nil
}

// Leave ends the reading. An answer that has no follower left goes on for a while, so
// that its client can come back.
func (f *Follower) Leave() {
	r := f.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.followers, f)
	switch {
	case len(r.followers) > 0:
	case r.ended:
		r.lease.Close()
	case r.spilled:
		r.cancel(errDeserted()) // there is nothing to come back to
	default:
		r.idle = time.AfterFunc(r.linger, r.desert)
	}
	r.wake()
}

// desert gives an answer up that no client has come back for.
func (r *recording) desert() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.followers) == 0 {
		r.cancel(errDeserted())
	}
}

// isDeserted reports whether the recording has no follower.
func (r *recording) isDeserted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.followers) == 0
}

// Part is what comes next in a recording.
type Part struct {
	Head  Head
	Bytes []byte // must not be changed
	Ended bool   // nothing follows
	Cut   bool   // and the answer is not whole
}

// Next waits for what comes next. Its errors are for clients.
func (f *Follower) Next(ctx context.Context) (Part, error) {
	for {
		part, ready, changed, err := f.look()
		if ready || err != nil {
			return part, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Part{}, context.Cause(ctx)
		}
	}
}

func (f *Follower) look() (part Part, ready bool, changed <-chan struct{}, err error) {
	r := f.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	part = Part{Head: r.head}
	if f.at < r.ready {
		part.Bytes = r.buf[f.at-r.base : r.ready-r.base]
		f.at = r.ready
		if r.spilled {
			part.Bytes = bytes.Clone(part.Bytes)
			r.wake() // the answer may wait for this
		}
	}
	switch {
	case len(part.Bytes) > 0:
	case !r.ended:
		return part, false, r.changed, nil
	case r.err != nil:
		return part, false, nil, r.err
	case r.ending == NotKept:
		return part, false, nil, refuseNotKept()
	}
	part.Ended = r.ended && f.at == r.ready && r.err == nil
	part.Cut = part.Ended && r.ending == Cut
	return part, true, nil, nil
}

// IsReplay reports whether another request than the follower's made the answer. It is known
// from the first part on.
func (f *Follower) IsReplay() bool {
	f.recording.mu.Lock()
	defer f.recording.mu.Unlock()
	return !f.first || !f.recording.own
}

// WhyUnsaved is why an answer that has ended may not be found again; nil where it was saved.
func (f *Follower) WhyUnsaved() error {
	f.recording.mu.Lock()
	defer f.recording.mu.Unlock()
	return f.recording.unsaved
}

// put adds bytes, which followers see when they are ready. Where they are too many to be
// kept it adds a bite at a time, and waits for the followers.
func (r *recording) put(ctx context.Context, b []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.spilled && r.fits(int64(len(b))) {
		r.buf = append(r.buf, b...)
		return nil
	}
	if !r.spilled {
		r.spilled = true
		r.ready = r.base + int64(len(r.buf))
		r.wake()
	}
	for len(b) > 0 {
		if err := r.awaitRoom(ctx); err != nil {
			return err
		}
		bite := b[:min(len(b), spillRoom)]
		b = b[len(bite):]
		r.buf = append(r.buf, bite...)
		r.ready = r.base + int64(len(r.buf))
		r.wake()
	}
	return nil
}

// awaitRoom waits until the followers of an answer that is not kept have read enough of
// it. The caller holds mu.
func (r *recording) awaitRoom(ctx context.Context) error {
	for !r.trim() {
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		r.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// fits takes room for more bytes.
func (r *recording) fits(n int64) bool {
	have := int64(len(r.buf))
	if r.base+have+n > r.most {
		return false
	}
	more := have + n - int64(cap(r.buf))
	if more <= 0 {
		return true
	}
	room := max(more, min(have, r.most-have)) // twice as much, as append has it
	if !r.lease.Fits(room) {
		return false
	}
	r.buf = append(make([]byte, 0, int64(cap(r.buf))+room), r.buf...)
	return true
}

// trim lets go of what every follower has read, and reports whether there is room again.
func (r *recording) trim() bool {
	read := r.ready
	for f := range r.followers {
		read = min(read, f.at)
	}
	if read > r.base {
		r.buf = bytes.Clone(r.buf[read-r.base:])
		r.base = read
	}
	return len(r.buf) <= spillRoom
}

// end ends the recording. Who has seen that and asks again must not find it here.
func (r *recording) end(ending Ending, err, unsaved error) {
	r.forget()
	r.update(func() {
		r.ended, r.ending, r.err, r.unsaved = true, ending, err, unsaved
		if err == nil {
			r.ready = r.base + int64(len(r.buf))
		}
		if r.idle != nil {
			r.idle.Stop()
		}
		if len(r.followers) == 0 {
			r.lease.Close()
		}
	})
}

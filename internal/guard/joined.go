package guard

import (
	"crypto/tls"
	"sync"
	"time"
)

// joined is a connection of HTTP/2 that sends in one TLS record what net/http sends in
// several: the head of a request, which it flushes before it looks at the body, waits
// for the body, and word of what was read waits for whatever is sent next.
type joined struct {
	*tls.Conn

	mu      sync.Mutex // guards what follows, and is held while something is sent
	waiting []byte     // whole frames
	late    *time.Timer
	failed  error // how sending late ended
}

const (
	// patience is how long a frame waits for company. A body follows its head within
	// microseconds, unless the server takes no more for now.
	patience = time.Millisecond
	// company is what fits into one TLS record.
	company = 16 << 10
)

func newJoined(conn *tls.Conn) *joined {
	j := &joined{Conn: conn}
	j.late = time.AfterFunc(time.Hour, j.sendLate)
	j.late.Stop()
	return j
}

// Write sends frames, or keeps them for those that follow.
func (j *joined) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		return 0, j.failed
	}
	if len(j.waiting)+len(b) > company { // a long one goes alone
		if err := j.flush(); err != nil {
			return 0, err
		}
		return j.Conn.Write(b)
	}
	if canWait(b) {
		if len(j.waiting) == 0 {
			j.late.Reset(patience)
		}
		j.waiting = append(j.waiting, b...)
		return len(b), nil
	}
	if len(j.waiting) == 0 {
		return j.Conn.Write(b)
	}
	j.waiting = append(j.waiting, b...)
	if err := j.flush(); err != nil {
		return 0, err
	}
	return len(b), nil
}

// flush sends what waits. The caller holds mu.
func (j *joined) flush() error {
	if len(j.waiting) == 0 {
		return nil
	}
	j.late.Stop()
	_, err := j.Conn.Write(j.waiting)
	j.waiting = j.waiting[:0]
	return err
}

// sendLate sends what nothing has followed.
func (j *joined) sendLate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.flush(); err != nil {
		j.failed = err
		_ = j.Close() // the reader hears of it
	}
}

// The parts of a frame's head, by RFC 9113, 4.1 and 6.
const (
	frameHead      = 9
	frameHeaders   = 0x1
	frameWindow    = 0x8
	flagEndStream  = 0x1
	flagEndHeaders = 0x4
)

// canWait reports whether these are whole frames that ask for nothing alone: the head
// of a request whose body follows, and word of what was read.
func canWait(b []byte) bool {
	for len(b) > 0 {
		if len(b) < frameHead {
			return false
		}
		whole := frameHead + (int(b[0])<<16 | int(b[1])<<8 | int(b[2]))
		kind, flags := b[3], b[4]
		head := kind == frameHeaders && flags&(flagEndStream|flagEndHeaders) == flagEndHeaders
		if len(b) < whole || !head && kind != frameWindow {
			return false
		}
		b = b[whole:]
	}
	return true
}

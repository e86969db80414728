package memory

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// What is kept of the memory of bodies that are no longer read. A megabyte from the heap
// is cleared, comes from the system page by page and is collected, which takes longer
// than reading a body into it. Shorter ones cost little, longer ones are few.
const (
	leastSpare = 2 * secondPiece
	mostSpare  = 4 << 20
	allSpares  = 32 << 20
	spareTime  = 10 * time.Second // how long it is kept at most
)

// spares is memory that can be used again.
type spares struct {
	mu     sync.Mutex // guards what follows
	list   [][]byte   // what was used last is last: it may still be in a cache
	bytes  int64
	sweeps bool // a sweep is due
}

// spare is the process's, as its memory is.
var spare spares

// Reusable reports whether Reuse keeps the memory of a body that ReadAll has read.
func Reusable(body []byte) bool {
	n := int64(cap(body))
	return isKept(n) && n == roomFor(n)
}

// isKept reports whether memory of n bytes is neither too short nor too long to be kept.
func isKept(n int64) bool { return n >= leastSpare && n <= mostSpare }

// Reuse gives back the memory of a body that ReadAll has read. The caller swears that
// nothing reads it any more: what is read into it next is another caller's.
func Reuse(body []byte) { spare.give(body) }

// roomFor is how much room is made for n bytes: so that the next body of about that
// length fits into it, a sixteenth more at most.
func roomFor(n int64) int64 {
	if !isKept(n) {
		return n
	}
	step := int64(1) << (bits.Len64(uint64(n)) - 5)
	return (n + step - 1) &^ (step - 1)
}

// take is room for n bytes, which roomFor has told.
func (s *spares) take(n int64) []byte {
	if !isKept(n) {
		return make([]byte, 0, n)
	}
	s.mu.Lock()
	for i, b := range slices.Backward(s.list) {
		if int64(cap(b)) == n {
			s.list = slices.Delete(s.list, i, i+1)
			s.bytes -= n
			s.mu.Unlock()
			return b
		}
	}
	s.mu.Unlock()
	return make([]byte, 0, n)
}

// give keeps memory for the next body. What was used the longest ago makes room for it.
func (s *spares) give(b []byte) {
	if !Reusable(b) {
		return
	}
	n := int64(cap(b))
	if spoils {
		copy(b[:n], bytes.Repeat([]byte{'!'}, int(n)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := 0
	for ; s.bytes+n > allSpares; old++ {
		s.bytes -= int64(cap(s.list[old]))
	}
	s.list = append(slices.Delete(s.list, 0, old), b[:0])
	s.bytes += n
	if !s.sweeps {
		s.sweeps = true
		time.AfterFunc(spareTime, s.sweep)
	}
}

// sweep lets all of it go: a server that has no such bodies any more needs none.
func (s *spares) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.bytes, s.sweeps = nil, 0, false
}

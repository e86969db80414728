package memory

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"stele/internal/race"
)

// at is where a slice lies.
func at(b []byte) *byte { return unsafe.SliceData(b) } //nolint:gosec // it is only compared

func TestMemoryThatIsGivenBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	s := new(spares)
	size := roomFor(1<<20 + 200)
	first, second := s.take(size), s.take(size)
	if at(first) == at(second) {
		t.Fatal("two bodies share their memory")
	}
	s.give(first)
	s.give(second)
	if again := s.take(roomFor(1<<20 + 1)); at(again) != at(second) || len(again) != 0 {
		t.Error("what was used last is not used again for a body of about that length")
	}
	if other := s.take(roomFor(1 << 19)); at(other) == at(first) || int64(cap(other)) != roomFor(1<<19) {
		t.Error("half as much is given twice the room")
	}
}

func TestRoomIsLittleMoreThanNeeded(t *testing.T) {
	t.Parallel()
	for n := int64(1); n < 2*mostSpare; n += n/7 + 1 {
		room := roomFor(n)
		if room < n || room > n+n/16+1 || roomFor(room) != room {
			t.Errorf("%d bytes have room for %d, which would have %d", n, room, roomFor(room))
		}
		if n < leastSpare && room != n {
			t.Errorf("%d bytes are too short to be kept, and have room for %d", n, room)
		}
	}
}

func TestLittleIsKeptAndNotForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := new(spares)
		for range 3 {
			for _, n := range []int64{100, leastSpare - 1, leastSpare, 1 << 20, mostSpare, mostSpare + 1, 64 << 20} {
				for range 4 {
					s.give(make([]byte, 0, roomFor(n)))
				}
			}
		}
		if held, counted := s.held(); held != counted || held > allSpares || held < allSpares-mostSpare {
			t.Errorf("%d bytes are kept, and counted as %d", held, counted)
		}
		for range 2 { // also of what comes later
			time.Sleep(spareTime)
			synctest.Wait()
			if held, counted := s.held(); held != 0 || counted != 0 {
				t.Errorf("%d bytes are kept after a while, and counted as %d", held, counted)
			}
			s.give(make([]byte, 0, 1<<20))
		}
	})
}

// held is what is kept, and what is counted as kept.
func (s *spares) held() (held, counted int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.list {
		held += int64(cap(b))
	}
	return held, s.bytes
}

// A body after another takes no memory from the heap.
func TestBodiesTakeNoNewMemory(t *testing.T) { //nolint:paralleltest // memory is measured
	race.Skip(t, "it allocates, too")
	content := bytes.Repeat([]byte("x"), 1<<20)
	budget := New(1<<30, 1<<30)
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lease := budget.Open("a")
			body, err := lease.ReadAll(t.Context(), bytes.NewReader(content), int64(len(content)))
			if err != nil || len(body) != len(content) {
				b.Fatal(len(body), err)
			}
			Reuse(body)
			lease.Close()
		}
	})
	if bytes := result.AllocedBytesPerOp(); bytes > 64<<10 {
		t.Errorf("a body of a megabyte takes %d bytes", bytes)
	}
}

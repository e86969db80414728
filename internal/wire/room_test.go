package wire

import (
	"errors"
	"strings"
	"testing"
)

// Room is asked for long events before it is taken, and for no others.
func TestRoomIsAskedForLongEvents(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	for _, test := range []struct {
		length, room int
		asked        bool
		err          error
	}{{1 << 10, 0, false, nil}, {longEvent / 2, 0, false, nil}, {1 << 20, 4 << 20, true, nil}, {1 << 20, 1 << 18, true, full}} {
		s, asked := NewSSE(strings.NewReader("data: "+strings.Repeat("x", test.length)+"\n\n"), 8<<20), 0
		s.Ask(func(n int) error {
			if asked += n; asked > test.room {
				return full
			}
			return nil
		})
		frame, err := s.Next()
		if !errors.Is(err, test.err) || asked > 0 != test.asked || err == nil && len(frame.Data) != test.length {
			t.Errorf("%d bytes: %v, room for %d was asked for", test.length, err, asked)
		}
		s.Close()
	}
}

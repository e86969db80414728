package generation

import (
	"testing"
	"time"
)

func TestProgressIsWrittenSoOftenAndNotMore(t *testing.T) {
	t.Parallel()
	var l progressLimiter
	at := time.Unix(1000, 0)
	count := func(workspace string) (written int) {
		for range 3 * progressPerSecond {
			if l.allow(workspace, at) {
				written++
			}
		}
		return written
	}
	const half = progressPerSecond / 2
	if first, again, other, third := count("a"), count("a"), count("b"), count("c"); first != half || again != 0 || other != half || third != 0 {
		t.Errorf("%d, then %d, for another workspace %d and for a third %d in one second", first, again, other, third)
	}
	at = at.Add(time.Second)
	if next := count("a"); next != half {
		t.Errorf("%d in the next second, want %d", next, half)
	}
}

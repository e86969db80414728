package generation

import (
	"testing"
	"time"
)

func TestProgressIsWrittenSoOftenAndNotMore(t *testing.T) {
	t.Parallel()
	var n news
	at := time.Unix(1000, 0)
	count := func() (written int) {
		for range 3 * newsPerSecond {
			if n.room(at) {
				written++
			}
		}
		return written
	}
	if first, again := count(), count(); first != newsPerSecond || again != 0 {
		t.Errorf("%d, then %d in one second, want %d and none", first, again, newsPerSecond)
	}
	at = at.Add(time.Second)
	if next := count(); next != newsPerSecond {
		t.Errorf("%d in the next second, want %d", next, newsPerSecond)
	}
}

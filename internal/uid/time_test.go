package uid

import (
	"testing"
	"time"
)

func TestAnIDTellsWhenItWasMade(t *testing.T) {
	t.Parallel()
	before := time.Now().Truncate(time.Millisecond)
	id := New("req")
	after := time.Now()
	if at := Time(id); at.Before(before) || at.After(after) {
		t.Errorf("%s was made between %s and %s, not at %s", id, before, after, at)
	}
	if low, high := At("req", Time(id)), At("req", Time(id).Add(time.Millisecond)); low > id || high <= id || !Is("req", low) {
		t.Errorf("%s is not between %s and %s", id, low, high)
	}
	for _, other := range []string{"", "req_", "req_1", "plain", "req_!!!!!!!!!!!!!!!!!!!!!!!!!!"} {
		if at := Time(other); !at.IsZero() {
			t.Errorf("%q was made at %s", other, at)
		}
	}
}

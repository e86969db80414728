package meter

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
)

func TestABodyIsTextOrNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kept string
		size int64
		want string
	}{
		{"", 0, ""}, {"hello", 5, "hello"}, {"hello", 900, "hello"}, {"gr\xc3", 900, "gr"}, {"\xf0\x9f\x8c", 900, ""}, {"gr\xc3", 3, ""},
		{"\x89PNG\r\n", 6, ""}, {"a\x00b", 3, ""}, {"größer", 8, "größer"},
	} {
		if got := NewBody([]byte(test.kept), test.size); got.Text != test.want || got.Size != test.size {
			t.Errorf("%q of %d bytes: %+v", test.kept, test.size, got)
		}
	}
}

func TestACaptureNeverWaitsAndSavesWhatIsLeft(t *testing.T) {
	t.Parallel()
	var saved []Bodies
	c := NewCapture(func(_ context.Context, list []Bodies) error { saved = append(saved, list...); return nil })
	for n := range waitingBodies + 10 { // no saver runs yet
		c.Keep(Bodies{Record: strconv.Itoa(n)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Run(ctx, slog.New(slog.DiscardHandler))
	if len(saved) != waitingBodies || saved[0].Record != "0" {
		t.Errorf("%d saved", len(saved))
	}
}

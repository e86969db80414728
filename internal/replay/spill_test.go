package replay_test

import (
	"bytes"
	"context"
	"testing"

	"stele/internal/replay"
)

// An answer that is too long to be kept is passed on in bites, however it is written.
func TestWhatIsTooLongIsPassedOnInBites(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		answer := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
		m := making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			_ = take.MarkAsked(ctx)
			take.Begin(stream)
			return replay.Result{Err: take.Write(ctx, answer)}
		})
		m.Most = 10
		f := record(t, h.process(t, "one"), request("k"), m)
		var got []byte
		for ended := false; !ended; {
			part, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(part.Bytes) > 1<<20 {
				t.Errorf("%d bytes at once", len(part.Bytes))
			}
			got, ended = append(got, part.Bytes...), part.Ended
		}
		if !bytes.Equal(got, answer) {
			t.Errorf("%d bytes of %d came", len(got), len(answer))
		}
	})
}

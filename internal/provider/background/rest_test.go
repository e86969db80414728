package background_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/media"
	"stele/internal/provider/background"
)

// TestAMakerThatRestsIsOwedWhatItBegan has a maker rest in the middle: it begins nothing that
// cannot be made again, and says so until what it began is fetched.
func TestAMakerThatRestsIsOwedWhatItBegan(t *testing.T) {
	t.Parallel()
	for name, repeats := range map[string]bool{"paid": false, "free to repeat": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := background.New(func(_ context.Context, req media.Request, _ func(float64)) ([]media.Output, error) {
					time.Sleep(time.Minute)
					if req.Key == "fails" {
						return nil, &media.Failure{Class: media.BadInput}
					}
					return outputs(1), nil
				}, background.Options{Parallel: 4, Repeats: repeats})
				defer m.Close()
				owed := func(when string, want bool) {
					t.Helper()
					if m.HasOwed() != want {
						t.Errorf("%s it is owed: %t", when, !want)
					}
				}
				owed("at first", false)
				made, _ := m.Submit(t.Context(), media.Request{Key: "a"})
				_, _ = m.Submit(t.Context(), media.Request{Key: "fails"})
				m.Rest()
				if leave, again := m.TakeSlot(t.Context(), "", "b"); (leave != nil) != repeats || leave == nil && again <= 0 {
					t.Errorf("there is a place: %t, again after %s", leave != nil, again)
				}
				owed("under way", !repeats)
				time.Sleep(2 * time.Minute)
				owed("when it is made", !repeats)
				m.Forget(made.Ticket)
				owed("when it is fetched", false)
			})
		})
	}
}

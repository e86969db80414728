package supply

import (
	"errors"
	"fmt"
	"testing"

	"stele/internal/fault"
	"stele/internal/media"
	"stele/internal/route"
)

// TestOrdersCountForTheirProviderOnly: what this installation could not do says nothing of
// the provider, whichever class of failure it is wrapped in.
func TestOrdersCountForTheirProviderOnly(t *testing.T) {
	t.Parallel()
	away := fault.NewAway(errors.New("the storage is away"))
	for _, c := range []struct {
		err             error
		tries, failures int
	}{
		{nil, 1, 0},
		{&media.Failure{Class: media.BadInput}, 1, 0},
		{&media.Failure{Class: media.PolicyOutput}, 1, 0},
		{&media.Failure{Class: media.Auth}, 1, 1},
		{&media.Failure{Class: media.Quota}, 1, 1},
		{&media.Failure{Class: media.Transient}, 1, 1},
		{&media.Failure{Class: media.SubmitUnknown}, 1, 1},
		{errors.New("connection refused"), 1, 1},
		{&media.Failure{Class: media.Stopped}, 0, 0},
		{&media.Failure{Class: media.Panicked}, 0, 0},
		{&media.Failure{Class: media.Storage}, 0, 0},
		{&media.Failure{Class: media.Transient, Err: fmt.Errorf("read an input: %w", away)}, 0, 0},
		{&media.Failure{Class: media.SubmitUnknown, Err: away}, 0, 0},
		{fmt.Errorf("keep the answer: %w", away), 0, 0},
	} {
		s := &Supply{o: Options{Router: route.New()}}
		s.noteOrder("p", c.err)
		if h := s.o.Router.Health()["p"]; h.Tries != c.tries || h.Failures != c.failures {
			t.Errorf("%v: %d of %d failed", c.err, h.Failures, h.Tries)
		}
	}
}

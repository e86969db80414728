package meter

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTriesComeBackFromTheirTrail(t *testing.T) {
	t.Parallel()
	tries := []Try{
		{Provider: "a", Target: `odd "name"`, Code: "upstream_error", Took: 1500 * time.Millisecond}, {Provider: "b", Target: "x/y", Took: time.Millisecond},
	}
	r := Record{Tries: 2, Path: Trail(tries)}
	if diff := cmp.Diff(tries, r.Trail()); diff != "" {
		t.Error(diff)
	}
}

func TestARecordWithoutATrailTellsOfItsOneTry(t *testing.T) {
	t.Parallel()
	one := Record{Tries: 1, Provider: "a", Target: "x", Code: "upstream_error", Took: time.Second}
	if diff := cmp.Diff([]Try{{"a", "x", "upstream_error", time.Second}}, one.Trail()); diff != "" {
		t.Error(diff)
	}
	for _, r := range []Record{{}, {Tries: 3}, {Tries: 3, Path: "not JSON"}} {
		if got := r.Trail(); len(got) > 0 {
			t.Errorf("%+v: %+v", r, got)
		}
	}
}

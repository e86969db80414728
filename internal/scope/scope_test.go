package scope_test

import (
	"log/slog"
	"testing"

	"stele/internal/race"
	"stele/internal/scope"
)

// Requests use the room of attributes one after the other. None sees another's.
func TestFactsAreOfOneRequest(t *testing.T) {
	t.Parallel()
	for range 100 {
		one, other := new(scope.Request), new(scope.Request)
		one.Note(slog.String("of", "one"), slog.Int("n", 1))
		if n := len(one.Attrs()); n != 2 {
			t.Fatalf("%d attributes", n)
		}
		one.DropAttrs()
		other.Note(slog.String("of", "other"))
		one.Note(slog.String("of", "one, too late"))
		one.DropAttrs()
		one.DropAttrs()
		attrs := other.Attrs()
		if len(attrs) != 1 || attrs[0].Value.String() != "other" || len(one.Attrs()) != 0 {
			t.Fatalf("%v, and %v", attrs, one.Attrs())
		}
		other.DropAttrs()
	}
}

func TestNotingFactsTakesNoMemory(t *testing.T) { //nolint:paralleltest // memory is measured
	race.Skip(t, "pools lose things with it")
	r := new(scope.Request)
	if n := testing.AllocsPerRun(100, func() {
		r.Note(slog.String("a", "b"), slog.Int("c", 1), slog.String("d", "e"))
		r.Note(slog.String("f", "g"))
		_ = r.Attrs()
		r.DropAttrs()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

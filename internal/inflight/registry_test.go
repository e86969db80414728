package inflight_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/inflight"
)

func begin(t *testing.T, r *inflight.Registry, id string, deaths int) func() {
	t.Helper()
	end, err := r.Begin(t.Context(), id, deaths)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func left(t *testing.T, path string) []string {
	t.Helper()
	ids, err := inflight.ReadLeft(path)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

func TestWhatIsWorkedOnIsKnownToTheNextProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "working")
	if ids := left(t, path); len(ids) != 0 {
		t.Errorf("before the first process: %v", ids)
	}
	r, err := inflight.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	one, two := begin(t, r, "one", 0), begin(t, r, "two", 0)
	again := begin(t, r, "two", 0)
	three := begin(t, r, "three", 0)
	one()
	two()
	two() // once is enough
	four := begin(t, r, "four", 0)
	if ids := left(t, path); !slices.Equal(ids, []string{"four", "three", "two"}) {
		t.Errorf("at its death it worked on %v", ids)
	}
	again()
	three()
	four()
	if ids := left(t, path); len(ids) != 0 {
		t.Errorf("with nothing to do it worked on %v", ids)
	}
	begin(t, r, "five", 0)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if ids := left(t, path); len(ids) != 0 {
		t.Errorf("after it ended in order: %v", ids)
	}
	end, err := (*inflight.Registry)(nil).Begin(t.Context(), "none", 3)
	if err != nil {
		t.Fatal(err)
	}
	end()
}

func TestWhatIsPutDownStaysUntilItIsStruckOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "unsent")
	r, err := inflight.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"one", "two", "three"} {
		r.Put(id)
	}
	if err := r.Strike("two"); err != nil {
		t.Fatal(err)
	}
	if ids := left(t, path); !slices.Equal(ids, []string{"one", "three"}) {
		t.Errorf("at its death there was %v", ids)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Strike("one"); err != nil {
		t.Errorf("after it ended in order: %v", err)
	}
	if ids := left(t, path); len(ids) != 0 {
		t.Errorf("after it ended in order: %v", ids)
	}
	(*inflight.Registry)(nil).Put("none")
	if err := (*inflight.Registry)(nil).Strike("none"); err != nil {
		t.Error(err)
	}
}

func TestSuspectsWaitAndThenRunAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "working")
	synctest.Test(t, func(t *testing.T) {
		r, err := inflight.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		begun := time.Now()
		begin(t, r, "innocent", 0)
		if time.Since(begun) != 0 {
			t.Error("one that is no suspect had to wait")
		}
		end := begin(t, r, "twice", 2)
		if time.Since(begun) == 0 {
			t.Error("a suspect did not have to wait")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := r.Begin(ctx, "once", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two suspects run beside each other: %v", err)
		}
		begin(t, r, "late", 0)
		end()
		begin(t, r, "once", 1)
		begin(t, r, "another once", 1)
	})
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deaths  map[string]int
		guilty  string
		counted []string
	}{
		"nothing":               {nil, "", nil},
		"a first death":         {map[string]int{"a": 0, "b": 0}, "", []string{"a", "b"}},
		"one suspect":           {map[string]int{"a": 1, "b": 0}, "a", []string{"b"}},
		"several suspects":      {map[string]int{"a": 1, "b": 1, "c": 0}, "", []string{"a", "b", "c"}},
		"a suspect that is old": {map[string]int{"a": 3}, "a", nil},
	} {
		guilty, counted := inflight.Verdict(test.deaths)
		if slices.Sort(counted); guilty != test.guilty || !slices.Equal(counted, test.counted) {
			t.Errorf("%s: %q is guilty, %v are counted", name, guilty, counted)
		}
	}
}

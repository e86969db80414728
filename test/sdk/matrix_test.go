package sdk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// scene is something that people do with a model, in no dialect.
type scene struct {
	name   string
	manner manner
	// script is what the upstream does of its own accord, after the model's name.
	script string
	// models are the upstream's, by its dialect; nil is the one that takes everything.
	models map[string][]string
	play   func(t *testing.T, k talk, up away) []answer
}

// TestMatrix plays every scene with every Go SDK over every upstream, whole and
// streamed: both must come to the same.
func TestMatrix(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	played := 0
	for _, c := range clients() {
		for _, up := range s.away {
			for _, sc := range scenes() {
				models := sc.models[up.dialect]
				if sc.models == nil {
					models = []string{up.plain}
				}
				for _, model := range models {
					played++
					t.Run(strings.Join([]string{c.name, up.dialect, sc.name, model}, "/"), func(t *testing.T) {
						t.Parallel()
						sc.both(t, s, c, up, model)
					})
				}
			}
		}
	}
	t.Logf("%d scenes, each whole and streamed", played)
}

// both plays a scene twice.
func (sc scene) both(t *testing.T, s *stage, c client, up away, model string) {
	t.Helper()
	w := sc.manner
	w.model = up.dialect + "/" + model + sc.script
	whole := sc.play(t, c.open(t, s, w), up)
	w.stream = true
	streamed := sc.play(t, c.open(t, s, w), up)
	if t.Failed() {
		return
	}
	if a, b := alike(whole), alike(streamed); !reflect.DeepEqual(a, b) {
		t.Errorf("whole and streamed differ:\n%+v\n%+v", a, b)
	}
	named := w.model
	if c.dialect == up.dialect {
		named = model + sc.script
	}
	for _, a := range whole {
		if a.model != named {
			t.Errorf("the answer calls its model %q, not %q", a.model, named)
		}
		if a.in < 1 || a.out < 1 {
			t.Errorf("%d tokens in, %d out", a.in, a.out)
		}
		if c.dialect == "gemini" && up.dialect == "gemini" {
			continue // Google's own older models give no ids, and its bytes pass through
		}
		seen := map[string]bool{"": true}
		for _, call := range a.calls {
			if seen[call.id] {
				t.Errorf("a call of %s has the id %q", call.name, call.id)
			}
			seen[call.id] = true
		}
	}
}

// alike are answers without what need not be the same in two conversations: ids
// that are made up, and from the second answer on the size of the history, which
// some SDKs send back in the pieces it came in.
func alike(answers []answer) []answer {
	var list []answer
	for i, a := range answers {
		if i > 0 {
			a.in, a.cached = 0, 0
		}
		a.calls = slices.Clone(a.calls)
		for j := range a.calls {
			a.calls[j].id = ""
		}
		list = append(list, a)
	}
	return list
}

// told fails unless an answer is what was expected, and gives it back.
func told(t *testing.T, a answer, err error) func(stop, text string, calls ...string) answer {
	t.Helper()
	return func(stop, text string, calls ...string) answer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var called []string
		for _, c := range a.calls {
			called = append(called, c.name)
		}
		if a.stop != stop || !strings.Contains(a.text, text) || fmt.Sprint(called) != fmt.Sprint(calls) {
			t.Fatalf("got %+v, want %s, %q, calls %v", a, stop, text, calls)
		}
		return a
	}
}

package storetest

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"stele/internal/app"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/store"
)

func stepsComeBack(t *testing.T, s *store.Store) {
	newDesk(s)
	first := app.Done{
		Run: "gen_1", Step: "draw", Place: 1, Try: 2, State: app.Finished, Generation: "gen_2", Said: "words", Nano: 1 << 40,
		Outputs: []generation.Made{{File: "file_1", Kind: "image", Type: "image/png", Size: 5, Width: 3, Height: 2}, {Kind: "data", Data: jsontext.Value(`{"a":1}`)}},
		Code:    "c", Message: "m", Began: noon.Add(-time.Second), Saved: noon,
	}
	second := app.Done{Run: "gen_1", Step: "draw", Place: 0, State: app.Started, Outputs: []generation.Made{}, Saved: noon}
	for _, d := range []app.Done{first, second, {Run: "gen_other", Step: "draw", State: app.Started, Saved: noon}} {
		must(t, s.SaveStep(t.Context(), &d))
	}
	got, err := s.Steps(t.Context(), "gen_1")
	must(t, err)
	if diff := cmp.Diff([]app.Done{second, first}, got); diff != "" {
		t.Error(diff)
	}
	whole := inserted(t, s, func(t *generation.Task) {
		t.App, t.Parent, t.Steps = "an-app", "gen_1", []media.StepStatus{{ID: "draw", State: media.Processing, Done: 1, Total: 2}}
		t.Order.Recipe = "app: an-app\n"
	})
	back, err := s.Task(t.Context(), "", whole.ID)
	must(t, err)
	if back.Parent != "gen_1" || back.App != "an-app" || back.Order.Recipe != whole.Order.Recipe || !cmp.Equal(back.Steps, whole.Steps) {
		t.Errorf("%+v", back)
	}
}

// stepsStay saves a step once more that has ended: a later worker has lost.
func stepsStay(t *testing.T, s *store.Store) {
	newDesk(s)
	for _, d := range []app.Done{
		{State: app.Started, Message: "began"},
		{State: app.Failed, Message: "failed"},
		{State: app.Started, Try: 1, Message: "began again"},
		{State: app.Failed, Try: 0, Message: "the first try, late"},
		{State: app.Finished, Try: 1, Message: "done"},
		{State: app.Failed, Try: 1, Message: "too late"},
		{State: app.Started, Try: 2, Message: "too late as well"},
	} {
		d.Run, d.Step, d.Saved = "gen_1", "draw", noon
		must(t, s.SaveStep(t.Context(), &d))
	}
	got, err := s.Steps(t.Context(), "gen_1")
	must(t, err)
	if len(got) != 1 || got[0].Message != "done" || got[0].Try != 1 || got[0].State != app.Finished {
		t.Errorf("%+v", got)
	}
}

func stepsForgotten(t *testing.T, s *store.Store) {
	newDesk(s)
	for run, at := range map[string]time.Time{"gen_old": noon.Add(-time.Hour), "gen_new": noon.Add(time.Hour)} {
		must(t, s.SaveStep(t.Context(), &app.Done{Run: run, Step: "a", State: app.Finished, Saved: at}))
	}
	n, err := s.DeleteStepsBefore(t.Context(), noon)
	must(t, err)
	old, err := s.Steps(t.Context(), "gen_old")
	must(t, err)
	kept, err := s.Steps(t.Context(), "gen_new")
	must(t, err)
	if n != 1 || len(old) != 0 || len(kept) != 1 {
		t.Errorf("%d deleted, %d old, %d new", n, len(old), len(kept))
	}
}

func partsDoNotCount(t *testing.T, s *store.Store) {
	newDesk(s)
	whole := inserted(t, s, func(t *generation.Task) { t.App = "an-app" })
	for range 3 {
		inserted(t, s, func(t *generation.Task) { t.Parent = whole.ID })
	}
	if n, err := s.CountUnfinished(t.Context(), whole.Key, 10); n != 1 || err != nil {
		t.Errorf("%d unfinished, %v", n, err)
	}

}

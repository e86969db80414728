package app_test

import (
	"testing"
	"time"

	"stele/internal/generation"
	"stele/internal/media"
)

// A run that does not come to its end costs what its steps have cost, neither its
// estimate nor nothing.
func TestARunThatIsCutShortCostsWhatItsStepsDid(t *testing.T) {
	t.Parallel()
	const each = 40_000_000
	for name, cut := range map[string]func(*house, *generation.Task) error{
		"canceled": func(h *house, task *generation.Task) error {
			_, err := h.generations.Cancel(h.t.Context(), "default", task.ID)
			return err
		},
		"timed out": func(h *house, _ *generation.Task) error {
			h.ahead.Store(int64(24 * time.Hour))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hold = func(prompt string) bool { return prompt == "last" }
			h := open(t, w, plan)
			task := h.run("plan", `{"idea":"cats"}`)
			if task.Nano <= 4*each {
				t.Fatalf("the estimate is %d", task.Nano)
			}
			h.until(task.ID, func(*generation.Task) bool { return w.count("last") > 0 })
			if err := cut(h, task); err != nil {
				t.Fatal(err)
			}
			got := h.end(task.ID)
			if got.State == media.Success || got.Nano != 3*each || got.Credits != 12 {
				t.Errorf("%s, cost %d and %d credits", got.State, got.Nano, got.Credits)
			}
		})
	}
}

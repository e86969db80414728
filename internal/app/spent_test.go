package app_test

import (
	"strings"
	"testing"

	"stele/internal/generation"
	"stele/internal/media"
)

// A run that does not come to its end costs what its steps have cost, neither its
// estimate nor nothing.
func TestARunThatIsCutShortCostsWhatItsStepsDid(t *testing.T) {
	t.Parallel()
	const each = 40_000_000
	for name, source := range map[string]string{
		"canceled":  plan,
		"timed out": strings.Replace(plan, "app: plan\n", "app: plan\ndeadline: 2s\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hold = func(prompt string) bool { return prompt == "last" }
			h := open(t, w, source)
			task := h.run("plan", `{"idea":"cats"}`)
			if task.Nano <= 4*each {
				t.Fatalf("the estimate is %d", task.Nano)
			}
			if name == "canceled" {
				h.until(task.ID, func(*generation.Task) bool { return w.count("last") > 0 })
				if _, err := h.generations.Cancel(t.Context(), "default", task.ID); err != nil {
					t.Fatal(err)
				}
			}
			got := h.end(task.ID)
			if got.State == media.Success || got.Nano != 3*each || got.Credits != 12 {
				t.Errorf("%s, cost %d and %d credits", got.State, got.Nano, got.Credits)
			}
		})
	}
}

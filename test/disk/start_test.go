package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"stele/test/rig"
)

// TestAStartOnADiskThatFails has the disk run full or err at a change after another of a
// first start. The program ends with a sentence or serves, and the next start, with room,
// finds nothing that is in its way.
func TestAStartOnADiskThatFails(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	h := rig.Start(t, rig.Options{Env: []string{"STELE_DISK_TRACE=" + trace}})
	last := len(readTrace(t, trace))
	h.Stop(t)
	for k := 1; k <= last; k += startStep {
		how := []string{"full", "broken", "late"}[k/startStep%3]
		faults := filepath.Join(t.TempDir(), "faults")
		if err := os.WriteFile(faults, fmt.Appendf(nil, "%s %d %d", how, k, forever), 0o600); err != nil {
			t.Fatal(err)
		}
		h := rig.New(t, rig.Options{Env: []string{"STELE_DISK_FAULTS=" + faults}})
		if h.Attempt(t) {
			h.Kill(t)
		}
		h.Setenv()
		h.Start(t)
		h.Stop(t)
		sound(t, h)
		if t.Failed() {
			t.Fatalf("%s from change %d of %d on", how, k, last)
		}
	}
}

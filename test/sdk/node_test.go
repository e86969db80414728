package sdk

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// nodePatience is how long all tests of a file may take.
const nodePatience = 8 * time.Minute

// door is what door.mjs reads.
type door struct {
	URL       string     `json:"url"`
	GoogURL   string     `json:"googURL"`
	GoogKey   string     `json:"googKey"`
	Key       string     `json:"key"`
	WrongKeys []wrongKey `json:"wrongKeys"`
	Models    []string   `json:"models"`
}

// TestNodeSDKs runs *.test.mjs with the official Node SDKs against a house.
func TestNodeSDKs(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	h, _ := shopOf25(t)
	d := door{URL: h.URL, WrongKeys: wrongKeys(t, h), Key: h.CreateKey(t, "--allow-model", "acme/*").Key, Models: idsOf25()}
	h.Await(t, d.Key, http.StatusOK)

	goog := rig.Start(t, rig.Options{Config: googHeaderOn})
	d.GoogURL, d.GoogKey = goog.URL, goog.CreateKey(t, "--scope", "models").Key
	goog.Await(t, d.GoogKey, http.StatusOK)

	prepared, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests for Node: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) {
			t.Parallel()
			runNode(t, program, file, "STELE_TEST_DOOR="+string(prepared))
		})
	}
}

// runNode runs a file of Node's tests in its folder and returns what it printed. It
// is one process, which ends with the test: nothing it started could outlive it.
func runNode(t *testing.T, program, file, prepared string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodePatience)
	defer cancel()
	quick, err := filepath.Abs("quick.cjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, "--require", quick, "--test-reporter=spec", filepath.Base(file))
	cmd.Dir, cmd.WaitDelay = filepath.Dir(file), time.Second
	// Nothing else of this process: the SDKs would find keys and addresses there.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), prepared}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("node %s did not end within %s", file, nodePatience)
	}
	if err != nil {
		t.Errorf("node %s: %v\n%s", file, err, out)
	}
	return string(out)
}

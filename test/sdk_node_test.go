package test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/house"
)

// node is the Node that runs the official Node SDKs.
func node(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("STELE_TEST_NODE"); path != "" {
		return path
	}
	path, err := filepath.Abs("sdk/node_modules/.bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		house.Lacking(t, "there is no Node: run npm ci in test/sdk, or set STELE_TEST_NODE")
	}
	return path
}

// door is what sdk/door.mjs reads.
type door struct {
	URL       string     `json:"url"`
	GoogURL   string     `json:"googURL"`
	GoogKey   string     `json:"googKey"`
	Key       string     `json:"key"`
	WrongKeys []wrongKey `json:"wrongKeys"`
	Models    []string   `json:"models"`
}

// TestNodeSDKs runs sdk/*.test.mjs with the official Node SDKs against a house.
func TestNodeSDKs(t *testing.T) {
	t.Parallel()
	program := node(t)
	h, _ := shopOf25(t)
	d := door{URL: h.URL, WrongKeys: wrongKeys(t, h), Key: h.CreateKey(t, "--allow-model", "acme/*").Key, Models: idsOf25()}
	h.Await(t, d.Key, http.StatusOK)

	goog := house.Start(t, house.Options{Config: googHeaderOn})
	d.GoogURL, d.GoogKey = goog.URL, goog.CreateKey(t, "--scope", "models").Key
	goog.Await(t, d.GoogKey, http.StatusOK)

	prepared, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("sdk/*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests for Node: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, "--test", "--test-reporter=spec", filepath.Base(file))
			cmd.Dir = "sdk"
			// Nothing else of this process: the SDKs would find keys and addresses there.
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "STELE_TEST_DOOR=" + string(prepared)}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("node --test %s: %v\n%s", file, err, out)
			}
		})
	}
}

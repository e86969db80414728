// Package upgrade brings databases of released versions up to date with the built program, kills it
// meanwhile, and runs the version before beside it: nothing is lost, and clients do not notice.
package upgrade

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.MainRigged(m)) }

func currentVersion(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rig.Root(), "cmd", "stele", "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

//go:build clients

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

// codexTurns is how long a session of Codex is: each turn is a process of its own that takes the session up.
const codexTurns = 50

// TestCodexGoesOnThroughTheBridge has one session of Codex think and call its shell in every turn.
func TestCodexGoesOnThroughTheBridge(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: config})
	home, key := t.TempDir(), h.CreateKey(t).Key
	bridge := h.Bridge(t, key)
	h.Run(t, "connect", "codex", "--url", h.URL, "--key", key, "--model", "fast", "--write", "--home", home)
	log := filepath.Join(home, "project", "log")
	for turn := range codexTurns {
		args := []string{".bin/codex", "exec"}
		if turn > 0 {
			args = append(args, "resume", "--last")
		}
		args = append(args, "--json", "--skip-git-repo-check", "-c", `sandbox_mode="danger-full-access"`, "-c", fmt.Sprintf("model_providers.stele.base_url=%q", bridge+"/v1"),
			fmt.Sprintf(`[[sandbox: think=20 tool=exec_command arguments="{\"cmd\": \"echo turn %d >> log\"}"]]`, turn))
		said := start(t, home, nil, args...)
		if !strings.Contains(said, `"type":"turn.completed"`) || strings.Contains(said, `"type":"turn.failed"`) || !strings.Contains(said, `"type":"reasoning"`) {
			t.Fatalf("turn %d: %s", turn, said)
		}
		if text, err := os.ReadFile(log); err != nil || strings.Count(string(text), "\n") != turn+1 || !strings.HasSuffix(string(text), fmt.Sprintf("turn %d\n", turn)) {
			t.Fatalf("turn %d wrote %q, %v: %s", turn, text, err, said)
		}
	}
}

//go:build clients

package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// claudeNames leads the names that Claude Code asks for by itself to one model, as its page says.
const claudeNames = config + "  claude-*opus*: fast\n  claude-*fable*: fast\n  claude-*sonnet*: fast\n  claude-*haiku*: fast\n" +
	"  claude-of-the-house: {targets: [stele/sandbox]}\n"

// claudeRefused is how long Claude Code may take to say that its key is wrong.
const claudeRefused = 10 * time.Second

// TestClaudeCodeDoesWhatItDoes has Claude Code ask for models of its own names, in the ways in which it asks.
func TestClaudeCodeDoesWhatItDoes(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: claudeNames})
	home, key := t.TempDir(), h.CreateKey(t).Key
	h.Run(t, "connect", "claude-code", "--url", h.URL, "--key", key, "--write", "--home", home)
	bridge := []string{"ANTHROPIC_BASE_URL=" + h.Bridge(t, key)}
	claude := func(env []string, args ...string) string {
		return start(t, home, env, slices.Concat([]string{"@anthropic-ai/claude-code-linux-*[46]/claude", "-p"}, args)...)
	}
	for _, model := range []string{"default", "opus", "sonnet", "haiku"} {
		if said := claude(nil, "Say hello", "--model", model); !strings.Contains(said, "This is the Stele sandbox") {
			t.Errorf("%s: %s", model, said)
		}
	}
	if listed, err := os.ReadFile(filepath.Join(home, ".claude", "cache", "gateway-models.json")); err != nil || !strings.Contains(string(listed), `"claude-of-the-house"`) {
		t.Errorf("/model lists of the server's models: %s (%v)", listed, err)
	}
	for _, env := range [][]string{nil, bridge} {
		if said := claude(env, "/context"); !strings.Contains(said, "Context Usage") || !strings.Contains(said, "System tools") {
			t.Errorf("/context with %v: %s", env, said)
		}
	}
	lines := []string{"--output-format", "stream-json", "--verbose"}
	agent := `Delegate. [[sandbox: tool=Agent arguments="{\"description\": \"greet\", \"prompt\": \"Greet from below\", \"subagent_type\": \"general-purpose\"}"]]`
	said := claude(nil, append([]string{agent}, lines...)...)
	if names := claudeCalls(t, said); !slices.Equal(names, []string{"Agent"}) || !strings.Contains(said, "You said: “Greet from below”") {
		t.Errorf("an agent was to answer, and nothing else be called, but %v: %s", names, said)
	}
	if err := os.WriteFile(filepath.Join(home, "project", "picture.png"), rig.PlainPNG(t, 64, false), 0o600); err != nil {
		t.Fatal(err)
	}
	said = claude(nil, append([]string{`Look at it. [[sandbox: tool=Read arguments="{\"file_path\": \"HOME/project/picture.png\"}"]]`}, lines...)...)
	if !strings.Contains(said, "and gave ") || strings.Contains(said, `"is_error":true`) {
		t.Errorf("a picture: %s", said)
	}
}

// TestClaudeCodeTellsAWrongKey has Claude Code fail, and soon, where its key is wrong.
func TestClaudeCodeTellsAWrongKey(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: config})
	home, key := t.TempDir(), h.CreateKey(t).Key
	h.Run(t, "connect", "claude-code", "--url", h.URL, "--key", key, "--model", "fast", "--write", "--home", home)
	replace(t, filepath.Join(home, ".claude", "settings.json"), key, key+"x")
	began := time.Now()
	said, err := try(t, home, nil, "@anthropic-ai/claude-code-linux-*[46]/claude", "-p", "Say hello")
	if took := time.Since(began); err == nil || took > claudeRefused || !strings.Contains(said, "401") {
		t.Errorf("after %s: %v, %s", took, err, said)
	}
}

func replace(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.ReplaceAll(text, []byte(from), []byte(to)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// claudeCalls is the tools that were called by the session itself, not by its agents, as Claude Code tells of them in lines of JSON.
func claudeCalls(t *testing.T, said string) (names []string) {
	t.Helper()
	for line := range strings.Lines(said) {
		var event struct {
			Parent  string `json:"parent_tool_use_id"`
			Message struct {
				Content []struct{ Type, Name string }
			}
		}
		if !strings.Contains(line, `"tool_use"`) || json.Unmarshal([]byte(line), &event) != nil || event.Parent != "" {
			continue
		}
		for _, part := range event.Message.Content {
			if part.Type == "tool_use" {
				names = append(names, part.Name)
			}
		}
	}
	return names
}

//go:build clients

package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// patience is how long a client may take to start, to go through its loop and to end.
const patience = 4 * time.Minute

// The sandbox fills in a tool's arguments with their own names, so a file of that name is what a
// client writes.
const config = "providers: {}\nmodels:\n  fast: {targets: [stele/sandbox]}\n  gpt-5.6: {targets: [stele/sandbox]}\n"

// agents are run in turn rather than side by side: each takes a processor and half a gigabyte.
var agents = []struct {
	id     string
	run    []string // the program in node_modules, a glob: no script of a package is run to link it; HOME is its home folder
	writes string   // below its home folder, a glob
}{
	{"claude-code", []string{"@anthropic-ai/claude-code-linux-*[46]/claude", "-p", "Write a file. [[sandbox: tool=Write]]", "--permission-mode", "acceptEdits", "--allowedTools", "Write"}, "project/file_path"},
	{"gemini-cli", []string{".bin/gemini", "--skip-trust", "--approval-mode", "yolo", "-p", "Write a file. [[sandbox: tool=write_file]]"}, "project/file_path"},
	{"opencode", []string{"opencode-linux-*[46]/bin/opencode", "run", "Write a file. [[sandbox: tool=write]]"}, "project/filePath"},
	{"qwen-code", []string{".bin/qwen", "--approval-mode", "yolo", "-p", `Write a note. [[sandbox: tool=write_file arguments="{\"file_path\": \"HOME/project/note\", \"content\": \"A note\"}"]]`}, "project/note"},
}

func TestAgentsWriteAFile(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: config})
	for _, a := range agents {
		t.Run(a.id, func(t *testing.T) {
			home, key := t.TempDir(), h.CreateKey(t).Key
			h.Run(t, "connect", a.id, "--url", h.URL, "--key", key, "--model", "fast", "--write", "--home", home)
			said := start(t, home, nil, slices.Clone(a.run)...)
			if found, err := filepath.Glob(filepath.Join(home, a.writes)); err != nil || len(found) == 0 {
				t.Errorf("%s wrote no %s: %s", a.id, a.writes, said)
			}
			if !strings.Contains(said, "This is the Stele sandbox") {
				t.Errorf("%s does not show the answer: %s", a.id, said)
			}
		})
	}
}

func TestLibrariesGoThroughALoop(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: config})
	for _, name := range []string{"ai-sdk", "google-genai", "langchain", "openai-agents"} {
		t.Run(name, func(t *testing.T) {
			home, program := t.TempDir(), filepath.Join(rig.Root(), "test/clients", name+".mjs")
			said := start(t, home, []string{"STELE_BASE=" + h.OpenAI(), "STELE_KEY=" + h.CreateKey(t).Key}, ".bin/node", program)
			if note, err := os.ReadFile(filepath.Join(home, "project", "note.txt")); err != nil || len(note) == 0 {
				t.Errorf("%s wrote no note: %v, %s", name, err, said)
			}
			if !strings.Contains(said, "written") {
				t.Errorf("%s does not show the answer: %s", name, said)
			}
		})
	}
}

// start runs a client that must end well and returns what it said.
func start(t *testing.T, home string, env []string, args ...string) string {
	t.Helper()
	said, err := try(t, home, env, args...)
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, said)
	}
	return said
}

// try runs a client on a home folder of its own and returns what it said and how it ended. Nothing
// of this process's environment reaches it.
func try(t *testing.T, home string, env []string, args ...string) (string, error) {
	t.Helper()
	modules := filepath.Join(rig.Root(), "test/clients/node_modules")
	found, err := filepath.Glob(filepath.Join(modules, args[0]))
	if err != nil || len(found) != 1 {
		rig.Lacking(t, "there is no "+args[0]+": make clients installs it")
	}
	project := filepath.Join(home, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "HOME", home)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, found[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = project, 5*time.Second
	cmd.Env = append([]string{"PATH=" + filepath.Join(modules, ".bin") + ":" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color"}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

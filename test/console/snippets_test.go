package console

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

var snippetText = regexp.MustCompile(`(?s)<pre tabindex="0" id="snippet-([a-z]+)-([a-z]+)">(.*?)</pre>`)

// TestSnippetsOfTheConsoleRunAsPasted takes what the first page of the console offers
// and runs it, with nothing but a key in the environment. The Python clients are
// not here: of theirs only what needs no client runs.
func TestSnippetsOfTheConsoleRunAsPasted(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t, "--name", "paste")
	h.Await(t, key.Key, 200)
	found := snippetText.FindAllStringSubmatch(rig.Settle(t, h).Get(t, "/console/"), -1)
	if len(found) != 16 {
		t.Fatalf("the page has %d snippets, want 16", len(found))
	}
	for _, m := range found {
		language, dialect, text := m[1], m[2], html.UnescapeString(m[3])
		t.Run(language+" "+dialect, func(t *testing.T) {
			t.Parallel()
			run, ok := map[string]func(*testing.T, string, string) *exec.Cmd{"curl": shell, "go": goRun, "typescript": typescript, "python": python}[language]
			if !ok {
				t.Fatalf("a language that nobody can run")
			}
			cmd := run(t, dialect, text)
			if cmd == nil {
				t.Skip("make test installs no clients for Python: their snippets are compiled, not run")
			}
			cmd.Env = append(os.Environ(), "STELE_API_KEY="+key.Key)
			var problems bytes.Buffer
			cmd.Stderr = &problems
			said, err := cmd.Output()
			want := "hello"
			if dialect == "generations" {
				want = "/files/" // where the picture is
			}
			if err != nil || !strings.Contains(strings.ToLower(string(said)), want) {
				t.Errorf("%v: %s%s\n%s", err, said, problems.String(), text)
			}
		})
	}
}

// pasted writes a snippet into a folder of its own.
func pasted(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func shell(t *testing.T, _, text string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), "sh", pasted(t, "snippet.sh", text))
}

// goRun runs a snippet as if it were in this module, which has the clients.
func goRun(t *testing.T, dialect, text string) *exec.Cmd {
	t.Helper()
	here, err := filepath.Abs(filepath.Join("snippet", dialect))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "main.go"): pasted(t, "main.go", text)}})
	if err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "go", "run", "-overlay", pasted(t, "overlay.json", string(overlay)), "./snippet/"+dialect)
}

// typescript runs a snippet in a folder with the clients of test/sdk. Node takes
// the types away.
func typescript(t *testing.T, _, text string) *exec.Cmd {
	t.Helper()
	file := pasted(t, "snippet.mts", text)
	modules := filepath.Join(rig.Root(), "test/sdk/node_modules")
	if err := os.Symlink(modules, filepath.Join(filepath.Dir(file), "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), rig.Node(t), "--experimental-strip-types", "--no-warnings", file)
}

func python(t *testing.T, dialect, text string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		return nil
	}
	file := pasted(t, "snippet.py", text)
	if dialect != "generations" { // it reads well, at least
		if said, err := exec.CommandContext(t.Context(), path, "-m", "py_compile", file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return nil
	}
	return exec.CommandContext(t.Context(), path, file)
}

//go:build pages

package clients

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

const (
	exampleURL, exampleKey = "https://stele.example.com", "sk_live_…"

	// pagePatience is how long one command may take. The slowest client takes a minute of a processor before it asks.
	pagePatience = 10 * time.Minute
)

// unfollowed are the pages that are not followed, and why. A page that is not here is followed or fails.
var unfollowed = map[string]string{
	"README": "of no one client", "bridge": "of no one client", "mcp": "of no one client",
	"aider": "Python", "anthropic-python": "Python", "llm": "Python", "openai-python": "Python",
	"ruby-llm": "Ruby", "gptel": "Emacs",
	"cursor": "has windows", "n8n": "has windows", "sillytavern": "has windows", "zed": "has windows",
}

// TestEveryPageEndsInAnAnswer installs what a page says, from npm and the newest there is, and does what it says, on fresh home folders: once
// with stele connect, once by hand, and once by hand with a key that no server knows.
func TestEveryPageEndsInAnAnswer(t *testing.T) {
	h := rig.Start(t, rig.Options{Config: "providers: {}\nmodels:\n  fast: {targets: [stele/sandbox]}\n"})
	files, err := filepath.Glob(filepath.Join(rig.Root(), "docs/clients/*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages, %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		p := readPage(t, file)
		followable := strings.HasPrefix(p.install, "npm install ") && p.try != ""
		if why, known := unfollowed[name]; known {
			if t.Logf("%s is not followed: %s", name, why); followable {
				t.Errorf("%s can be followed", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			if !followable {
				t.Fatalf("neither npm's nor one of unfollowed: %q, %q", p.install, p.try)
			}
			v := visitor{t: t, url: h.URL, key: h.CreateKey(t).Key, shared: t.TempDir(), home: t.TempDir()}
			t.Cleanup(v.endLeft) // before the folders are removed
			v.own()
			if said, err := v.do(p.install); err != nil {
				t.Fatalf("%s: %v\n%s", p.install, err, said)
			}
			v.follow(p, true)
			v.home = t.TempDir()
			v.follow(p, false)
			v.key, v.home = v.key[:len(v.key)-8]+"wrongkey", t.TempDir()
			v.refused(p)
		})
	}
}

// page is what a page tells its reader to do.
type page struct {
	install, connect, bridge, try string
	blocks                        []block
}

// block is a text of a page, and the line above it, which says where it goes.
type block struct{ title, text string }

// readPage reads commands and blocks. Blocks that name a language are about the server.
func readPage(t *testing.T, file string) page {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p page
	var title string
	var open *block
	for line := range strings.Lines(string(text)) {
		command, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			if open == nil {
				open = &block{title: title}
			} else {
				if open.title != "" {
					p.blocks = append(p.blocks, *open)
				}
				open = nil
			}
			if strings.TrimSpace(line) != "```" {
				open.title = ""
			}
		case open != nil:
			open.text += line
		case !strings.HasPrefix(line, "    "):
			if line != "\n" {
				title = strings.TrimSuffix(strings.TrimSpace(line), ":")
			}
		case !isCommand:
			p.install = command
		case strings.HasPrefix(command, "stele connect "):
			p.connect = command
		case strings.HasPrefix(command, "stele bridge "):
			p.bridge = command
		default:
			p.try = command
		}
	}
	return p
}

// visitor is a reader of the pages with a home folder, and with a folder for what is installed and for a project.
type visitor struct {
	t                      *testing.T
	url, key, shared, home string
	env                    []string // what the page has exported
}

// own gives the visitor the program and a folder for a project.
func (v *visitor) own() {
	v.t.Helper()
	for _, folder := range []string{"bin", "project"} {
		if err := os.Mkdir(filepath.Join(v.shared, folder), 0o700); err != nil {
			v.t.Fatal(err)
		}
	}
	if err := os.Symlink(os.Getenv("STELE_TEST_BINARY"), filepath.Join(v.shared, "bin", "stele")); err != nil {
		v.t.Fatal(err)
	}
}

// endLeft ends what clients have left running in the background: it knows the folder with what was installed by its PATH.
func (v *visitor) endLeft() {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte(v.shared+"/")) {
			continue // another user's, or gone
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			v.t.Logf("left running: %d", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	}
}

// follow does all that a page says and wants an answer in the end.
func (v *visitor) follow(p page, connect bool) {
	v.t.Helper()
	said, began := "", time.Now()
	if connect {
		var err error
		if said, err = v.do(p.connect); err != nil {
			v.t.Errorf("%s: %v\n%s", p.connect, err, said)
			return
		}
	}
	defer v.cross(p)()
	v.settle(p, connect && strings.Contains(p.connect, "--write"))
	if said, err := v.do(p.try); err != nil || !strings.Contains(said, "the Stele sandbox") || !strings.Contains(said, "Say hello") {
		v.t.Errorf("%s (connected: %t): %v\n%s", p.try, connect, err, said)
	}
	v.t.Logf("connected: %t, answered within %.0f s", connect, time.Since(began).Seconds())
}

// refused does what a page says with a wrong key, and wants to be told so.
func (v *visitor) refused(p page) {
	v.t.Helper()
	began := time.Now()
	defer v.cross(p)()
	v.settle(p, false)
	said, err := v.do(p.try)
	took := time.Since(began).Seconds()
	if errors.Is(err, context.DeadlineExceeded) || strings.Contains(said, "the Stele sandbox") {
		v.t.Errorf("with a wrong key, after %.0f s: %v\n%s", took, err, said)
	}
	v.t.Logf("refused within %.0f s, %v: %s", took, err, last(said))
}

// last is the end of what a client said.
func last(said string) string {
	said = strings.TrimSpace(said)
	return said[max(0, len(said)-300):]
}

var (
	homeFile = regexp.MustCompile("^`~/([^`]+)`$")
	named    = regexp.MustCompile(`^In (?:a|the) (?:program|project|folder), (\S+)$`)
)

// settle puts every block where the line above it says. Files of the home folder that stele connect has written stay.
func (v *visitor) settle(p page, written bool) {
	v.t.Helper()
	v.env = nil
	for _, b := range p.blocks {
		text := strings.NewReplacer(exampleURL, v.url, exampleKey, v.key).Replace(b.text)
		switch file, program := homeFile.FindStringSubmatch(b.title), named.FindStringSubmatch(b.title); {
		case file != nil && written:
		case file != nil:
			v.write(filepath.Join(v.home, file[1]), text)
		case program != nil:
			v.write(filepath.Join(v.shared, "project", program[1]), text)
		case strings.Contains(text, "export "):
			for line := range strings.Lines(text) {
				if export, ok := strings.CutPrefix(strings.TrimSpace(line), "export "); ok {
					v.env = append(v.env, strings.ReplaceAll(export, `"`, ""))
				}
			}
		case strings.HasSuffix(b.title, "in a terminal") || b.title == "Its key":
			if said, err := v.do(strings.TrimSpace(text)); err != nil {
				v.t.Errorf("%s: %v\n%s", b.title, err, said)
			}
		default:
			v.t.Logf("left out: %s", b.title)
		}
	}
}

func (v *visitor) write(file, text string) {
	v.t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// cross starts the bridge where a page has one, and returns what ends it.
func (v *visitor) cross(p page) (end func()) {
	v.t.Helper()
	if p.bridge == "" {
		return func() {}
	}
	var said bytes.Buffer
	cmd := v.command(context.Background(), "exec "+p.bridge)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	time.Sleep(time.Second) // it is left running by a person, who takes longer
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			v.t.Logf("the bridge: %v\n%s", err, said.String())
		}
	}
}

// do runs a line of a page to its end, and returns what it printed.
func (v *visitor) do(line string) (string, error) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), pagePatience)
	defer cancel()
	out, err := v.command(ctx, line).CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}

// command is a line of a page in a shell that knows the home folder and what was installed.
func (v *visitor) command(ctx context.Context, line string) *exec.Cmd {
	v.t.Helper()
	prefix := filepath.Join(v.shared, "npm")
	cmd := exec.CommandContext(ctx, "bash", "-c", strings.ReplaceAll(line, exampleURL, v.url))
	cmd.Dir, cmd.WaitDelay = filepath.Join(v.shared, "project"), 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(prefix, "bin") + ":" + filepath.Join(v.shared, "bin") + ":" + os.Getenv("PATH"), "HOME=" + v.home, "TERM=xterm-256color",
		"STELE_API_KEY=" + v.key, "npm_config_prefix=" + prefix, "npm_config_cache=" + os.Getenv("npm_config_cache"),
		"NODE_EXTRA_CA_CERTS=" + os.Getenv("NODE_EXTRA_CA_CERTS"),
	}, v.env...)
	return cmd
}

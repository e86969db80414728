package rig

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// process is a running Stele.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *output
	ended          chan struct{} // closed when it is over; err is set by then
	err            error
}

func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, stdout: newOutput(), stderr: newOutput(), ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself meanwhile
	<-p.ended
}

// command is the program with this house's settings, in its folder and with
// nothing of this process's environment that it could take for a setting.
func (h *House) command(args ...string) *exec.Cmd {
	args = append(args, "--data", h.Data)
	if _, err := os.Stat(h.Config); err == nil {
		args = append(args, "--config", h.Config)
	}
	cmd := exec.Command(cmp.Or(h.options.Binary, os.Getenv(binaryVariable)), append(args, h.options.Flags...)...)
	cmd.Dir = h.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.folder, "TMPDIR=" + os.TempDir()}
	cmd.Env = append(cmd.Env, h.options.Env...)
	return cmd
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Code           int
	Peak           int64 // bytes of memory that it was seen to hold at its highest
}

// Try runs a command of the program on this house to its end, however it ends.
func (h *House) Try(t testing.TB, args ...string) Result {
	t.Helper()
	return h.TryFor(t, exitPatience, args...)
}

// TryFor is Try for a command that may take so long.
func (h *House) TryFor(t testing.TB, patience time.Duration, args ...string) Result {
	t.Helper()
	p, err := start(h.command(args...))
	if err != nil {
		t.Fatalf("stele %s: %v", strings.Join(args, " "), err)
	}
	peak, ended := p.await(patience)
	if !ended {
		p.kill()
		t.Fatalf("stele %s did not end within %s\n%s", strings.Join(args, " "), patience, p.stderr)
	}
	return Result{p.stdout.String(), p.stderr.String(), p.cmd.ProcessState.ExitCode(), peak}
}

// await waits until the process ends, and looks how much memory it holds at its highest. What the system tells at the end
// is no use: Linux counts what the parent held when it started the program.
func (p *process) await(patience time.Duration) (peak int64, ended bool) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for deadline := time.After(patience); ; {
		select {
		case <-p.ended:
			return peak, true
		case <-deadline:
			return peak, false
		case <-look.C:
			peak = max(peak, memory("VmHWM", p.cmd.Process.Pid))
		}
	}
}

// Run runs a command that must succeed and returns what it printed.
func (h *House) Run(t testing.TB, args ...string) string {
	t.Helper()
	r := h.Try(t, args...)
	if r.Code != 0 {
		t.Fatalf("stele %s: exit code %d\n%s", strings.Join(args, " "), r.Code, r.Stderr)
	}
	return r.Stdout
}

// output keeps what a process writes and tells when there is more.
type output struct {
	mu   sync.Mutex // guards what follows
	b    bytes.Buffer
	more chan struct{} // closed at the next write
}

func newOutput() *output { return &output{more: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// await returns the first match of what is written, or nil when the writer has
// ended, or the patience, without one.
func (o *output) await(what *regexp.Regexp, ended <-chan struct{}, patience time.Duration) []string {
	deadline := time.After(patience)
	for {
		o.mu.Lock()
		found, more := what.FindStringSubmatch(o.b.String()), o.more
		o.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-more:
		case <-ended:
			return what.FindStringSubmatch(o.String())
		case <-deadline:
			return nil
		}
	}
}

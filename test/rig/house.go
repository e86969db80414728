// Package house runs the built Stele the way its operators do, for tests that
// look at it from outside: a process of its own, a data folder of its own, a free
// loopback port. It knows the command line and HTTP, and nothing of what is
// inside the program.
package rig

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Patience is how long anything may take that should take a second at most.
const Patience = 90 * time.Second

// exitPatience is how long a server without open requests may take to end.
const exitPatience = time.Minute

// Options are how a House differs from one that was started without any setting.
type Options struct {
	Config string         // the text of its configuration file; "" is no file
	Flags  []string       // for every command, such as --database-url and its value
	Listen string         // "" is a free port on 127.0.0.1
	Env    []string       // NAME=value, beside what every process needs
	Binary string         // another program than the one that is tested
	Roots  *x509.CertPool // whom to trust, where it serves TLS
}

// House is a Stele in its own folder, serving or not. Its methods may be called
// by several tests at once, except those that start and stop it.
type House struct {
	URL    string // where it serves, without a slash at the end
	Data   string // its data folder
	Config string // its configuration file
	Client *http.Client

	options Options
	folder  string
	serving *process
	secrets secrets
	gone    atomic.Value // the address at which a server was killed, as a string: another test's may be there by now
}

// New makes the folder of a House and nothing in it but the configuration. Whatever
// is still running when the test ends is stopped then.
func New(t testing.TB, o Options) *House {
	t.Helper()
	// Not t.TempDir: with the test's name in it the path may be too long for the control socket.
	folder, err := os.MkdirTemp("", "house-")
	if err != nil {
		t.Fatal(err)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	h := &House{
		Data: filepath.Join(folder, "data"), Config: filepath.Join(folder, "stele.yaml"), options: o, folder: folder,
		Client: &http.Client{
			Timeout: 2 * Patience,
			Transport: &http.Transport{
				TLSClientConfig:       &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
				MaxIdleConnsPerHost:   16,
				ExpectContinueTimeout: time.Minute, // who asks whether to go on waits for the answer
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	h.Client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == h.gone.Load() {
			return nil, errors.New("the server at " + address + " was killed")
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	if o.Config != "" {
		h.Configure(t, o.Config)
	}
	t.Cleanup(func() {
		if h.serving != nil {
			h.Stop(t)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Errorf("remove house: %v", err)
		}
	})
	return h
}

// Start makes a House and returns when it serves.
func Start(t testing.TB, o Options) *House {
	t.Helper()
	h := New(t, o)
	h.Start(t)
	return h
}

// Start starts the server and returns when it is ready.
func (h *House) Start(t testing.TB) {
	t.Helper()
	h.Launch(t)
	Eventually(t, "the server is ready", func() bool {
		a, err := h.Send(h.Request(t, "GET", "/readyz"))
		return err == nil && a.Status == http.StatusOK
	})
}

var serves = regexp.MustCompile(`serves at (\S+)\n`)

// Begin starts the server and does not wait for anything. Launch and Start wait
// for a server that was begun.
func (h *House) Begin(t testing.TB) {
	t.Helper()
	var err error
	if h.serving, err = start(h.command("--listen", h.options.Listen)); err != nil {
		t.Fatalf("start stele: %v", err)
	}
}

// Launch starts the server and returns as soon as it has said where it serves.
func (h *House) Launch(t testing.TB) {
	t.Helper()
	if h.serving == nil {
		h.Begin(t)
	}
	p := h.serving
	found := p.stdout.await(serves, p.ended, Patience)
	if found == nil {
		p.kill()
		h.serving = nil
		t.Fatalf("stele did not say where it serves\nstdout: %s\nstderr: %s", p.stdout, p.stderr)
	}
	h.URL = found[1]
	h.gone.Store("")
	h.secrets.greeted(p.stdout.String())
}

// Stop ends the server as an operator would, and fails the test when it does not
// end in time and well, or has told a secret.
func (h *House) Stop(t testing.TB) {
	t.Helper()
	h.Client.CloseIdleConnections()
	h.Signal(t, syscall.SIGTERM)
	h.Wait(t)
}

// Kill ends the server at once, as a crash does: nothing in it can prepare.
func (h *House) Kill(t testing.TB) {
	t.Helper()
	p := h.serving
	h.serving = nil
	_, address, _ := strings.Cut(h.URL, "://")
	h.gone.Store(address)
	p.kill()
	h.Client.CloseIdleConnections()
	for _, wrong := range h.secrets.told(p.stdout.String(), p.stderr.String()) {
		t.Errorf("stele: %s", wrong)
	}
}

// Wait returns when the server has ended by itself, or after a signal, and checks
// what Stop checks.
func (h *House) Wait(t testing.TB) {
	t.Helper()
	p := h.serving
	h.serving = nil
	select {
	case <-p.ended:
	case <-time.After(exitPatience):
		p.kill()
		t.Errorf("stele did not end within %s", exitPatience)
	}
	if p.err != nil {
		t.Errorf("stele ended with %v\nstderr: %s", p.err, p.stderr)
	}
	stdout, stderr := p.stdout.String(), p.stderr.String()
	for _, wrong := range append(h.secrets.told(stdout, stderr), wrongLines(stderr)...) {
		t.Errorf("stele: %s", wrong)
	}
	if t.Failed() { // its own words on what went wrong
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, `"level":"ERROR"`) {
				t.Log(line)
			}
		}
	}
}

// Attempt starts a server that may die while it starts, and says whether it is ready.
func (h *House) Attempt(t testing.TB) bool {
	t.Helper()
	h.Begin(t)
	p := h.serving
	if found := p.stdout.await(serves, p.ended, Patience); found != nil {
		h.URL = found[1]
		for end := time.Now().Add(Patience); time.Now().Before(end); {
			if a, err := h.Send(h.Request(t, "GET", "/readyz")); err == nil && a.Status == http.StatusOK {
				return true
			}
			select {
			case <-p.ended:
				h.serving = nil
				p.endedCleanly(t)
				return false
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	p.kill()
	h.serving = nil
	p.endedCleanly(t)
	return false
}

// endedCleanly wants a program that ended by itself to have said why, and not to have panicked.
func (p *process) endedCleanly(t testing.TB) {
	t.Helper()
	said := p.stderr.String()
	if strings.Contains(said, "goroutine ") || p.cmd.ProcessState.ExitCode() > 0 && said == "" {
		t.Errorf("stele ended with %v\nstderr: %s", p.err, said)
	}
}

// Died returns when the server has died by itself, as in a crash, or says that it
// has not within a time.
func (h *House) Died(within time.Duration) bool {
	select {
	case <-h.serving.ended:
		h.serving = nil
		h.Client.CloseIdleConnections()
		return true
	case <-time.After(within):
		return false
	}
}

// Serving reports whether the server was started and not yet ended.
func (h *House) Serving() bool { return h.serving != nil }

// Setenv changes the environment of the next start.
func (h *House) Setenv(env ...string) { h.options.Env = env }

// SetBinary has the next start run another program; "" is the one that is tested.
func (h *House) SetBinary(path string) { h.options.Binary = path }

// Signal sends a signal to the server.
func (h *House) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := h.serving.cmd.Process.Signal(s); err != nil {
		t.Errorf("signal stele: %v", err)
	}
}

// PID is the server's process id.
func (h *House) PID() int { return h.serving.cmd.Process.Pid }

// Greeting is what the running server has printed.
func (h *House) Greeting() string { return h.serving.stdout.String() }

// Configure puts text in the place of the configuration file, all at once. A
// running server does not look until it is told to.
func (h *House) Configure(t testing.TB, text string) {
	t.Helper()
	next := h.Config + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, h.Config); err != nil {
		t.Fatal(err)
	}
}

// OpenAI is the base URL that OpenAI's SDKs are given.
func (h *House) OpenAI() string { return h.URL + "/api/v1" }

// Anthropic is the base URL that Anthropic's SDKs are given.
func (h *House) Anthropic() string { return h.URL + "/api" }

// Gemini is the base URL that Google's SDKs are given.
func (h *House) Gemini() string { return h.URL + "/api" }

package console_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/console/consoletest"
)

// program is a real server: the built binary with a folder of its own.
type program struct {
	root  string // where it serves
	setup string // the set-up link
}

var linkOf = regexp.MustCompile(`(http://\S+)/console/setup\?token=\S+`)

func startProgram(t *testing.T) program {
	t.Helper()
	binary := os.Getenv("STELE_TEST_BINARY")
	if binary == "" && os.Getenv("STELE_TEST_REQUIRE") == "" {
		t.Skip("STELE_TEST_BINARY is not set")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	cmd.Dir = t.TempDir() // no configuration of the machine's
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var p program
	for p.setup == "" && lines.Scan() {
		if found := linkOf.FindStringSubmatch(lines.Text()); found != nil {
			p.setup, p.root = found[0], found[1]
		}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() { // it must not wait for a reader
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-read
		_ = cmd.Wait() // it was told to end
	})
	if p.setup == "" {
		t.Fatal("the program printed no set-up link")
	}
	return p
}

// TestAWholeDayInTheConsole walks through the real program in real Chromium: set-up,
// a key and a call with it, the playground, the studio, an app, what all of that used,
// another secret for the key, and out.
//
//nolint:paralleltest // one browser is enough for a small machine
func TestAWholeDayInTheConsole(t *testing.T) {
	b := launch(t, 1440)
	p := startProgram(t)
	setUp(b, p)
	b.shows("Start", "Playground", "Studio", "Apps", "Usage", "Requests", "API keys", "Models", "Providers", "People", "Audit log")
	light(b)

	b.visit(p.root + "/console/keys")
	b.click(".maker > summary")
	b.fill("#name", "shop")
	b.submit("#new-key button")
	secret := b.text("#secret")
	called(b, p, secret, http.StatusOK)

	b.visit(p.root + "/console/playground")
	asks(b, "Say hello.")
	b.shows("hello")

	b.visit(p.root + "/console/studio?model=stele%2Fcanvas")
	b.fill("#set-prompt", "A lighthouse before the storm")
	b.click("#make")
	awaits(b, `document.querySelector(".piece.success img")?.naturalWidth > 0`)

	b.visit(p.root + "/console/apps/social-card")
	b.fill("#in-headline", "Paint the sea")
	press(b, "#run-form .primary")
	watched(b)

	b.visit(p.root + "/console/usage")
	b.shows("stele/sandbox", "stele/canvas")
	b.visit(p.root + "/console/requests")
	b.shows("shop", "stele/canvas")

	b.visit(p.root + "/console/keys")
	b.click("button[popovertarget^=rotate]")
	b.submit(".ask:popover-open .primary")
	called(b, p, b.text("#secret"), http.StatusOK)
	called(b, p, secret, http.StatusOK) // its grace

	refusals(t, p)
	b.visit(p.root + "/console/audit")
	b.shows(consoletest.Email, "shop")
	b.submit(".account button")
	b.visit(p.root + "/console/usage")
	b.shows("Sign in")
}

// setUp makes the first administrator, who is signed in then.
func setUp(b *tab, p program) {
	b.Helper()
	b.visit(p.setup)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")
}

// light checks what the first view weighs and how long it took.
func light(b *tab) {
	b.Helper()
	b.reload()
	const all = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.encodedBodySize, 0)`
	if bytes := evaluate[float64](b, all); bytes == 0 || bytes > 200<<10 {
		b.Errorf("the first view is %.0f bytes", bytes)
	}
	b.Logf("the first view: %.0f bytes, loaded after %.0f ms", evaluate[float64](b, all),
		evaluate[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
}

// called calls the public API with a key.
func called(b *tab, p program, key string, want int) {
	b.Helper()
	if got := status(b.T, p, http.MethodGet, "/api/v1/models", "", http.Header{"Authorization": {"Bearer " + key}}); got != want {
		b.Errorf("a call with the key: status %d, want %d", got, want)
	}
}

// refusals asks for what no visitor without a session of this site may have.
func refusals(t *testing.T, p program) {
	t.Helper()
	for _, path := range []string{"/console/", "/console/keys", "/console/usage", "/console/studio", "/console/people"} {
		if got := status(t, p, http.MethodGet, path, "", http.Header{"Accept": {"application/json"}}); got != http.StatusUnauthorized {
			t.Errorf("%s without a session: status %d", path, got)
		}
		if got := status(t, p, http.MethodGet, path, "", http.Header{"Authorization": {"Bearer sk_live_x"}}); got != http.StatusUnauthorized {
			t.Errorf("%s with a key: status %d", path, got)
		}
	}
	foreign := http.Header{"Origin": {"https://elsewhere.example"}, "Sec-Fetch-Site": {"cross-site"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if got := status(t, p, http.MethodPost, "/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}.Encode(), foreign); got != http.StatusForbidden {
		t.Errorf("a sign-in sent by another site: status %d", got)
	}
}

func status(t *testing.T, p program, method, path, body string, header http.Header) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.root+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

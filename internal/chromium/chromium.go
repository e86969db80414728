// Package chromium starts a browser for tests. No code that ships needs it.
package chromium

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Path is where the browser is. Where none is promised (STELE_TEST_CHROMIUM names it,
// STELE_TEST_REQUIRE insists on it) the test is skipped.
func Path(t testing.TB) string {
	t.Helper()
	path := os.Getenv("STELE_TEST_CHROMIUM")
	if path == "" && os.Getenv("STELE_TEST_REQUIRE") == "" {
		t.Skip("STELE_TEST_CHROMIUM is not set")
	}
	if _, err := exec.LookPath(path); err != nil {
		if path, err = exec.LookPath("chromium"); err != nil {
			t.Fatalf("a browser is required: %v", err)
		}
	}
	return path
}

// Start starts the browser with a profile of its own. stop ends it.
func Start(ctx context.Context, path string, more ...chromedp.ExecAllocatorOption) (browser context.Context, stop func(), err error) {
	profile, err := os.MkdirTemp("", "stele-browser-")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(profile), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, end := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	browser, _ = chromedp.NewContext(ctx)
	return browser, func() {
		_ = chromedp.Cancel(browser)
		end()
		for range 50 { // its children write for a moment longer
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}, chromedp.Do(browser)
}

// Open starts a browser that plays what it is shown, for one test.
func Open(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	browser, stop, err := Start(ctx, Path(t), chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		cancel()
	})
	return browser
}

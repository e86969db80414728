package console_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"stele/internal/chromium"
	"stele/internal/race"
)

// tab is a page in a real browser. It fails the test at the first thing that
// goes wrong, script errors and breaches of the content policy included.
type tab struct {
	*testing.T
	ctx   context.Context //nolint:containedctx // a tab is its context
	width int64
	shots string // folder for pictures of every page, "" for none
	taken int
}

// screen is how wide a tab is, and below which path the console stands then.
type screen struct {
	width int64
	base  string
}

var everyScreen = []screen{{390, "/stele"}, {1440, ""}}

// shared is the one browser of all tests, started when the first of them wants it.
var shared struct {
	sync.Once
	ctx  context.Context //nolint:containedctx // a browser is its context
	err  error
	stop func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code) //nolint:forbidigo // how a TestMain ends
}

// launch opens a tab in a profile of its own.
func launch(t *testing.T, width int64) *tab {
	t.Helper()
	race.Skip(t, "pictures and clips take ten times as long")
	path := chromium.Path(t)
	shared.Do(func() {
		shared.ctx, shared.stop, shared.err = chromium.Start(context.Background(), path,
			// A graphics card that is not there is imitated in no process of its own, or not at all.
			chromedp.Flag("in-process-gpu", true), chromedp.Flag("disable-software-rasterizer", true), chromedp.Flag("disable-gpu-rasterization", true))
	})
	if shared.err != nil {
		t.Fatalf("a browser is required: %v", shared.err)
	}
	ctx, cancel := context.WithTimeout(shared.ctx, 12*time.Minute)
	ctx, _ = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	b := &tab{T: t, ctx: ctx, width: width, shots: os.Getenv("STELE_TEST_SHOTS")}
	// The first run opens the tab, which lives as long as that run's context.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatal(err)
	}
	b.emulate() // a page that still scrolls is clicked in the wrong place
	heard := b.listen()
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		heard.Wait()
	})
	return b
}

func (b *tab) listen() *sync.WaitGroup {
	messages := chromedp.Console(b.ctx)
	var heard sync.WaitGroup
	heard.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || strings.Contains(m.Text, "Content Security Policy") || strings.Contains(m.Text, "Refused to") {
				b.Errorf("the browser complains: %s", m)
			}
		}
	})
	return &heard
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) visit(url string) {
	b.Helper()
	b.do(chromedp.Navigate(url))
	b.fits()
}

func (b *tab) reload() {
	b.Helper()
	b.do(chromedp.Reload())
	b.fits()
}

func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// submit clicks and waits for the page that comes then.
func (b *tab) submit(selector string) {
	b.Helper()
	b.leave(chromedp.Click(chromedp.CSS(selector)))
}

// leave does something and waits for the page that comes then.
func (b *tab) leave(step chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, step); err != nil {
		b.Fatal(err)
	}
	b.fits()
}

// fill puts a text into a field in one piece, as an input method does: key by key takes three messages for each letter.
func (b *tab) fill(selector, text string) {
	b.Helper()
	evaluate[string](b, fmt.Sprintf("document.querySelector(%q).value = ''", selector))
	b.do(chromedp.Focus(chromedp.CSS(selector), chromedp.NodeVisible), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

func (b *tab) choose(selector, value string) {
	b.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(selector), value))
}

func (b *tab) shows(texts ...string) {
	b.Helper()
	page := b.text("body")
	for _, text := range texts {
		if !strings.Contains(page, text) {
			b.Fatalf("the page does not show %q but:\n%s", text, page)
		}
	}
}

func (b *tab) becomes(selector, text string) {
	b.Helper()
	awaits(b, fmt.Sprintf("document.querySelector(%q).textContent === %q", selector, text))
}

// awaits waits until a script is true. It looks now and then: at every frame, the browser would draw sixty a second
// for as long as it waits.
func awaits(b *tab, script string) {
	b.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Poll[bool](script, chromedp.WithPollingInterval(40*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", script, err)
		}
		return nil
	}))
}

func (b *tab) text(selector string) string {
	b.Helper()
	return evaluate[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

func (b *tab) count(selector string) int {
	b.Helper()
	return evaluate[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

func (b *tab) source() string {
	b.Helper()
	return evaluate[string](b, "document.documentElement.outerHTML")
}

// fits checks that nothing hangs over the edge of the screen, nor would on a phone.
func (b *tab) fits() {
	b.Helper()
	b.fitsNow()
	if width := b.width; alsoNarrow && width > 390 {
		b.widen(390)
		b.fitsNow()
		b.widen(width)
	}
}

func (b *tab) fitsNow() {
	b.Helper()
	if over := evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.Errorf("%s is %d pixels too wide", evaluate[string](b, "location.pathname"), over)
	}
	const hidden = `[...document.querySelectorAll(".code pre")].filter(p => !p.closest(".talk") && p.scrollWidth > p.clientWidth).map(p => p.innerText.slice(0, 80)).join(" | ")`
	if text := evaluate[string](b, hidden); text != "" { // under the edge of its box
		b.Errorf("%s has code that must be scrolled: %s", evaluate[string](b, "location.pathname"), text)
	}
}

// emulate makes the browser one that shows no motion, which no picture and no
// click can be halfway through, and has these features beside it.
func (b *tab) emulate(features ...*emulation.MediaFeature) {
	b.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: append(features, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"}),
		})
		return err
	}))
}

// look takes pictures of the page, in light and in dark, if they are wanted.
func (b *tab) look(name string) {
	b.Helper()
	if b.shots == "" {
		return
	}
	b.taken++
	for _, scheme := range []string{"light", "dark"} {
		b.emulate(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme})
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		file := fmt.Sprintf("%d-%02d-%s-%s.png", b.width, b.taken, strings.ReplaceAll(name, " ", "-"), scheme)
		if err := errors.Join(err, os.WriteFile(filepath.Join(b.shots, file), picture, 0o600)); err != nil {
			b.Fatal(err)
		}
	}
}

func evaluate[T any](b *tab, script string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return value
}

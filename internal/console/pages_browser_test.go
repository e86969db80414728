package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"stele/internal/console"
)

// TestEveryPageInABrowser opens each page of the table of routes in the real program,
// on a small and on a large screen: nothing hangs over the edge, nothing keeps people
// from using it. A page that is added is opened too.
//
//nolint:paralleltest // one browser is enough for a small machine
func TestEveryPageInABrowser(t *testing.T) {
	b := launch(t, 390)
	p := startProgram(t)
	setUp(b, p)
	pages := b.pages()
	for _, path := range pages {
		b.visit(p.root + path)
		for _, width := range []int64{390, 1440} {
			b.widen(width)
			b.fitsNow()
			b.look("page" + strings.ReplaceAll(path, "/", " "))
			if width == 390 { // axe looks at colours and words, which are the same on both
				b.inspect()
			}
		}
		b.widen(390)
	}
	if len(pages) < 25 {
		t.Errorf("%d pages were opened", len(pages))
	}
}

// widen makes the screen another, beneath a page that is open.
func (b *tab) widen(width int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
	b.width = width
}

// pages are the addresses without parameters at which this visitor finds a whole page.
func (b *tab) pages() (found []string) {
	b.Helper()
	for _, route := range console.Routes() {
		if route.Method != http.MethodGet || strings.Contains(route.Pattern, "{") {
			continue
		}
		whole, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`fetch(%q).then(async a =>
			a.status === 200 && !a.redirected && (await a.text()).startsWith("<!doctype html>"))`, route.Pattern), chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatalf("%s: %v", route.Pattern, err)
		}
		if whole {
			found = append(found, route.Pattern)
		}
	}
	return found
}

package download_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"stele/internal/chromium"
	"stele/internal/download"
)

func evaluate[T any](ctx context.Context, t *testing.T, script string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return value
}

func sample(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "file", "testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestNothingInAFileRunsOnOurOrigin opens files full of scripts in every way a
// page can, in a real browser. The control is the same picture served without
// the door: its script does run.
func TestNothingInAFileRunsOnOurOrigin(t *testing.T) {
	t.Parallel()
	ctx := chromium.Open(t)
	b := newBench(t)
	var ran, control atomic.Int32
	script := func(mark string) string {
		return "<script>fetch('" + mark + "'); new Image().src='" + mark + "'; try { top.document.title = 'taken' } catch (e) {}</script>"
	}
	svg := func(mark string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" onload="fetch('` + mark + `')">` + script(mark) + `</svg>`
	}
	evil := []string{
		b.files.Address(b.save(t, "evil.svg", svg("/mark"))),
		b.files.Address(b.save(t, "evil.html", "<html>"+script("/mark")+"</html>")),
	}
	var page strings.Builder
	page.WriteString("<!doctype html><title>ours</title>")
	for _, address := range evil {
		path := strings.TrimPrefix(address, b.URL)
		fmt.Fprintf(&page, "<iframe src=%q></iframe><object data=%[1]q></object><embed src=%[1]q><img src=%[1]q>", path)
	}
	page.WriteString(`<iframe src="/control.svg"></iframe>`)
	mux := http.NewServeMux()
	mux.Handle("/files/", download.New(b.files))
	mux.HandleFunc("/mark", func(http.ResponseWriter, *http.Request) { ran.Add(1) })
	mux.HandleFunc("/control", func(http.ResponseWriter, *http.Request) { control.Add(1) })
	mux.HandleFunc("/control.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(strings.ReplaceAll(svg("/control"), "top.document.title", "var unused")))
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page.String()))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); control.Load() == 0 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if control.Load() == 0 {
		t.Error("not even the script of a plain picture ran: the test shows nothing")
	}
	if title := evaluate[string](ctx, t, `document.title`); ran.Load() > 0 || title != "ours" {
		t.Errorf("a script ran %d times; the page is called %q", ran.Load(), title)
	}
	if width := evaluate[int](ctx, t, `document.images[0].naturalWidth`); width != 20 {
		t.Errorf("a picture must still be seen: it is %d wide", width)
	}
}

// TestAFilmPlaysByItsAddress: in a page elsewhere, and opened by itself.
func TestAFilmPlaysByItsAddress(t *testing.T) {
	t.Parallel()
	ctx := chromium.Open(t)
	b := newBench(t)
	address := b.files.Address(b.save(t, "a.webm", sample(t, "a.webm")))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><video src=%q muted autoplay loop></video>", address)
	}))
	t.Cleanup(elsewhere.Close)
	for _, place := range []string{elsewhere.URL, address} {
		if err := chromedp.Do(ctx, chromedp.Navigate(place)); err != nil {
			t.Fatal(err)
		}
		played := false
		for deadline := time.Now().Add(time.Minute); !played && time.Now().Before(deadline); {
			played = evaluate[bool](ctx, t, `(() => { const v = document.querySelector('video'); if (!v) return false; v.muted = true; v.play().catch(() => {}); return v.videoWidth === 64 && v.currentTime > 0 })()`)
			time.Sleep(20 * time.Millisecond)
		}
		if !played {
			t.Errorf("it does not play at %.30s…", place)
		}
	}
}

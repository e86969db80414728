package download_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/blob"
	"stele/internal/download"
	"stele/internal/file"
	"stele/internal/store"
	"stele/internal/store/template"
)

// bench is the door over a real database and a real folder.
type bench struct {
	*httptest.Server
	files *file.Service
	blobs *faulty
	now   time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	dir, err := blob.OpenDir(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	b := &bench{now: time.Now(), blobs: &faulty{Blobs: dir}}
	b.files = file.New(file.Options{
		Store: db, Blobs: b.blobs, Secret: []byte("a secret"), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now },
		Public: func() *url.URL { u, _ := url.Parse(b.URL); return u },
		Settings: func() file.Settings {
			return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 1 << 30, Video: 1 << 30, Audio: 1 << 30, Document: 1 << 30, Files: 720 * time.Hour}
		},
	})
	b.Server = httptest.NewServer(download.New(b.files))
	t.Cleanup(b.Close)
	return b
}

// faulty is a blob store that can be out of order.
type faulty struct {
	file.Blobs
	err    error
	opened atomic.Int64
}

func (f *faulty) Open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	f.opened.Add(1)
	if f.err != nil {
		return nil, f.err
	}
	return f.Blobs.Open(ctx, key, off, n)
}

func (b *bench) save(t *testing.T, name, body string) *file.File {
	t.Helper()
	f, err := b.files.Save(t.Context(), file.Upload{Workspace: access.DefaultWorkspace, Name: name, Body: strings.NewReader(body), Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (b *bench) ask(t *testing.T, method, address string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	answer, err := b.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

const text = "0123456789"

func TestWhoeverHoldsTheAddressReadsTheFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.save(t, "näme.txt", text)
	address := b.files.Address(f)
	for _, test := range []struct {
		method, header, value string
		status                int
		body                  string
		contentRange          string
	}{
		{"GET", "", "", 200, text, ""},
		{"HEAD", "", "", 200, "", ""},
		{"GET", "Range", "bytes=2-4", 206, "234", "bytes 2-4/10"},
		{"GET", "Range", "bytes=7-", 206, "789", "bytes 7-9/10"},
		{"GET", "Range", "bytes=-2", 206, "89", "bytes 8-9/10"},
		{"GET", "Range", "bytes=10-", 416, "invalid range: failed to overlap\n", "bytes */10"},
		{"HEAD", "Range", "bytes=2-4", 206, "", "bytes 2-4/10"},
		{"GET", "If-None-Match", `"` + f.SHA256 + `"`, 304, "", ""},
		{"GET", "If-None-Match", `"other"`, 200, text, ""},
		{"GET", "If-Match", `"other"`, 412, "", ""},
		{"GET", "Authorization", "Bearer sk_dev_nonsense", 200, text, ""},
		{"GET", "Origin", "https://elsewhere.example", 200, text, ""},
	} {
		answer, body := b.ask(t, test.method, address, test.header, test.value)
		h := answer.Header
		if answer.StatusCode != test.status || body != test.body || h.Get("Content-Range") != test.contentRange {
			t.Errorf("%s %s %s: %d %q %v", test.method, test.header, test.value, answer.StatusCode, body, h)
		}
		if h.Get("Access-Control-Allow-Origin") != "" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox;") {
			t.Error(h)
		}
		if answer.StatusCode < 300 && (h.Get("ETag") != `"`+f.SHA256+`"` || h.Get("Accept-Ranges") != "bytes" || h.Get("Content-Type") != "text/plain; charset=utf-8") {
			t.Error(h)
		}
	}
	answer, _ := b.ask(t, "HEAD", address)
	if answer.ContentLength != 10 {
		t.Error(answer.ContentLength)
	}
	if _, body := b.ask(t, "GET", address, "Range", "bytes=0-1,8-9"); !strings.Contains(body, "01") || !strings.Contains(body, "89") {
		t.Errorf("%q", body)
	}
}

func TestLongFilesComeInPieces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	body := strings.Repeat("0123456789abcdef", 20<<16) // 20 MB
	f := b.save(t, "long.txt", body)
	if _, got := b.ask(t, "GET", b.files.Address(f)); got != body {
		t.Error("another file came:", len(got))
	}
	if n := b.blobs.opened.Load(); n != 3 {
		t.Error("asked of the storage:", n, "times") // 8 MB at a time
	}
	if _, got := b.ask(t, "GET", b.files.Address(f), "Range", "bytes=8388600-16777300"); got != body[8388600:16777301] {
		t.Error("another part came:", len(got))
	}
	if answer, got := b.ask(t, "GET", b.files.Address(f), "Range", "items=0-1"); answer.StatusCode != http.StatusOK || got != body {
		t.Error("a unit that is not known is none:", answer.StatusCode, len(got))
	}
}

func TestOnlyWhatCanDoNoHarmIsShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	for _, test := range []struct{ name, body, kind, way string }{
		{"a.svg", svg, "image/svg+xml", "attachment; filename=a.svg"},
		{"a.html", "<html><script>alert(1)</script></html>", "text/plain; charset=utf-8", "attachment; filename=a.html"},
		{"a.pdf", "%PDF-1.4\n%%EOF", "application/pdf", "attachment; filename=a.pdf"},
		{"a b.gif", gif, "image/gif", `inline; filename="a b.gif"`},
	} {
		answer, body := b.ask(t, "GET", b.files.Address(b.save(t, test.name, test.body)))
		h := answer.Header
		if answer.StatusCode != http.StatusOK || body != test.body || h.Get("Content-Type") != test.kind || h.Get("Content-Disposition") != test.way {
			t.Errorf("%s: %d %v", test.name, answer.StatusCode, h)
		}
		for _, word := range []string{"sandbox", "default-src 'none'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), word) {
				t.Error(h)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "script") {
			t.Error(h)
		}
	}
}

func TestOtherAddressesOpenNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f, other := b.save(t, "a.txt", text), b.save(t, "b.txt", text)
	good, err := url.Parse(b.files.Address(f))
	if err != nil {
		t.Fatal(err)
	}
	with := func(path string, change func(url.Values)) string {
		u := *good
		if path != "" {
			u.Path = path
		}
		q := u.Query()
		if change != nil {
			change(q)
		}
		u.RawQuery = q.Encode()
		return u.String()
	}
	later := strconv.FormatInt(b.now.Add(9999*time.Hour).Unix(), 10)
	for name, address := range map[string]string{
		"no signature":     with("", func(q url.Values) { q.Del("sig") }),
		"no expiry":        with("", func(q url.Values) { q.Del("exp") }),
		"a later expiry":   with("", func(q url.Values) { q.Set("exp", later) }),
		"an odd expiry":    with("", func(q url.Values) { q.Set("exp", q.Get("exp")+" ") }),
		"another file":     with("/files/"+other.ID+"/b.txt", nil),
		"no file":          with("/files//a.txt", nil),
		"no name":          with("/files/"+f.ID, nil),
		"an odd id":        with("/files/../a.txt", nil),
		"a longer id":      with("/files/"+f.ID+"0/a.txt", nil),
		"a cut signature":  with("", func(q url.Values) { q.Set("sig", q.Get("sig")[:20]) }),
		"an empty address": b.URL + "/files/",
	} {
		answer, body := b.ask(t, "GET", address)
		if answer.StatusCode != http.StatusForbidden || !strings.Contains(body, "not valid") || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %s", name, answer.StatusCode, body)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		if answer, _ := b.ask(t, method, good.String()); answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
			t.Error(method, answer.StatusCode)
		}
	}
	if answer, body := b.ask(t, "GET", with("/files/"+f.ID+"/renamed.exe", nil)); answer.StatusCode != http.StatusOK || body != text || !strings.Contains(answer.Header.Get("Content-Disposition"), "a.txt") {
		t.Error(answer.StatusCode, answer.Header)
	}
	b.now = b.now.Add(8 * 24 * time.Hour)
	if answer, body := b.ask(t, "GET", good.String()); answer.StatusCode != http.StatusForbidden || !strings.Contains(body, "expired") {
		t.Error(answer.StatusCode, body)
	}
}

func TestAFileThatIsGoneIsSaidSo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.save(t, "a.txt", text)
	address := b.files.Address(f)
	b.blobs.err = errors.New("the storage is out of order")
	if answer, body := b.ask(t, "GET", address); answer.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "out of order") || answer.Header.Get("Retry-After") == "" {
		t.Error(answer.StatusCode, body)
	}
	b.blobs.err = nil
	if err := b.files.Drop(t.Context(), f.ID); err != nil {
		t.Fatal(err)
	}
	if answer, body := b.ask(t, "GET", address); answer.StatusCode != http.StatusNotFound || !strings.Contains(body, "not here any more") {
		t.Error(answer.StatusCode, body)
	}
}

// TestAnAddressStaysTheSameForAWhile: answers that carry it can be compared.
func TestAnAddressStaysTheSameForAWhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.save(t, "a.txt", text)
	b.now = b.now.Truncate(time.Hour)
	first := b.files.Address(f)
	b.now = b.now.Add(59 * time.Minute)
	if again := b.files.Address(f); again != first {
		t.Error(first, again)
	}
	b.now = b.now.Add(time.Minute)
	if again := b.files.Address(f); again == first {
		t.Error(again)
	}
	if !strings.Contains(b.files.URL(f.ID, "image/png"), "/image.png?") {
		t.Error(b.files.URL(f.ID, "image/png"))
	}
}

// TestAnAddressLivesAsLongAsTheSettingsSay turns the clock past its life.
func TestAnAddressLivesAsLongAsTheSettingsSay(t *testing.T) {
	t.Parallel()
	for _, life := range []time.Duration{10 * time.Second, time.Minute, 90 * time.Minute, 24 * time.Hour, 0} {
		b := newBench(t)
		usual := b.files.Settings
		b.files.Settings = func() file.Settings { s := usual(); s.URLLife = life; return s }
		f := b.save(t, "a.txt", text)
		if life == 0 {
			life = 7 * 24 * time.Hour
		}
		for _, address := range []string{b.files.Address(f), b.files.URL(f.ID, f.Type)} {
			begun := b.now
			for _, at := range []struct {
				after  time.Duration
				status int
			}{{0, 200}, {life, 200}, {2*life + 2*time.Hour, 403}} {
				b.now = begun.Add(at.after)
				if answer, body := b.ask(t, "GET", address); answer.StatusCode != at.status {
					t.Errorf("an address of %s is answered with %d after %s: %s", life, answer.StatusCode, at.after, body)
				}
			}
			b.now = begun
		}
	}
}

// TestADeletedFileHasNoAddress: neither one that was dropped, nor one whose time is
// over and that is kept for work under way.
func TestADeletedFileHasNoAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	usual := b.files.Settings
	b.files.Settings = func() file.Settings { s := usual(); s.URLLife = 2000 * time.Hour; return s }
	dropped, old := b.save(t, "a.txt", text), b.save(t, "b.txt", text)
	addresses := []string{b.files.Address(dropped), b.files.URL(dropped.ID, dropped.Type), b.files.URL(old.ID, old.Type)}
	for _, address := range addresses {
		if answer, _ := b.ask(t, "GET", address); answer.StatusCode != http.StatusOK {
			t.Errorf("%d before", answer.StatusCode)
		}
	}
	if err := b.files.Drop(t.Context(), dropped.ID); err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses[:2] {
		if answer, _ := b.ask(t, "GET", address); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%d after it was deleted", answer.StatusCode)
		}
	}
	b.now = old.Expires
	for _, method := range []string{"GET", "HEAD"} {
		if answer, _ := b.ask(t, method, addresses[2]); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%d after its time", answer.StatusCode)
		}
	}
}

package file_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stele/internal/blob"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/guard"
	"stele/internal/media"
	"stele/internal/store"
	"stele/internal/store/template"
)

// house is the file room over a real database and a real folder.
type house struct {
	*file.Service
	store    *store.Store
	blobs    *moody
	folder   string
	now      time.Time
	public   string
	settings file.Settings
}

func newHouse(t testing.TB) *house {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	h := &house{store: db, folder: t.TempDir(), now: time.Now(), public: "https://stele.example.com/base"}
	h.settings = file.Settings{URLLife: 7 * 24 * time.Hour, Image: 1 << 20, Video: 2 << 20, Audio: 1 << 20, Document: 1 << 20, Files: 10 * time.Hour, Outputs: 20 * time.Hour, Fetch: true}
	dir, err := blob.OpenDir(h.folder, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	h.blobs = &moody{Blobs: dir}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	h.Service = file.New(file.Options{
		Store: db, Blobs: h.blobs, Secret: []byte("a secret"), Log: slog.New(slog.DiscardHandler),
		Now:      func() time.Time { return h.now },
		Public:   func() *url.URL { u, _ := url.Parse(h.public); return u },
		Outside:  func() *http.Client { return guard.Caller(guard.Options{AllowPrivate: loopback}) },
		Settings: func() file.Settings { return h.settings },
	})
	return h
}

// moody is a blob store that may refuse.
type moody struct {
	file.Blobs
	put, delete error
	open        error // of every read
	breaks      error // of every read after its first bytes
}

func (m *moody) Open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	if m.open != nil {
		return nil, m.open
	}
	r, err := m.Blobs.Open(ctx, key, off, n)
	if err != nil || m.breaks == nil {
		return r, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(r, 10), iotest.ErrReader(m.breaks)), r}, nil
}

func (m *moody) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if m.put != nil {
		return 0, m.put
	}
	return m.Blobs.Put(ctx, key, r)
}

func (m *moody) Delete(ctx context.Context, key string) error {
	if m.delete != nil {
		return m.delete
	}
	return m.Blobs.Delete(ctx, key)
}

// left counts files on the disk.
func (h *house) left(t *testing.T) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(h.folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (h *house) read(t *testing.T, f *file.File) string {
	t.Helper()
	r, err := h.Open(t.Context(), f, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// picture saves a picture, and is it as a maker gets it.
func (h *house) picture(t *testing.T) (*file.File, media.Source) {
	t.Helper()
	f, err := h.Save(t.Context(), file.Upload{Workspace: "one", Name: "a.png", Body: strings.NewReader(sample(t, "a.png"))})
	if err != nil {
		t.Fatal(err)
	}
	source, err := h.Source(t.Context(), "one", "image_urls", f.ID)
	if err != nil {
		t.Fatal(err)
	}
	return f, source
}

func sample(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func code(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

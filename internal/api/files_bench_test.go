package api

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/guard"
	"stele/internal/media"
	"stele/internal/relay"
	"stele/internal/seal"
	"stele/internal/server"
	"stele/internal/store"
)

// filesBench is a door over a real database and a real folder of blobs.
type filesBench struct {
	*bench
	files  *file.Service
	folder string
	rows   *sql.DB
	now    time.Time    // by which files are kept
	stall  atomic.Int64 // in nanoseconds, of a body; 0: as long as it likes
}

const small = 256 << 10 // the largest file of each kind

func newFilesBench(t *testing.T) *filesBench {
	t.Helper()
	data, b := t.TempDir(), &filesBench{bench: new(bench), folder: t.TempDir(), now: time.Now()}
	db, err := store.Open(t.Context(), "", data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if b.rows, err = sql.Open("sqlite", "file:"+filepath.Join(data, "stele.db")+"?_pragma=busy_timeout(10000)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.rows.Close() })
	blobs, err := blob.OpenDir(b.folder, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	keys := access.New(db, seal.New(), time.Now)
	if _, b.key, err = keys.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "k"}); err != nil {
		t.Fatal(err)
	}
	b.files = file.New(file.Options{
		Store: db, Blobs: blobs, Secret: []byte("a secret"), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now },
		Public:  func() *url.URL { u, _ := url.Parse("https://stele.example.com/base"); return u },
		Outside: func() *http.Client { return guard.Caller(guard.Options{}) },
		Settings: func() file.Settings {
			return file.Settings{URLLife: 7 * 24 * time.Hour, Image: small, Video: small, Audio: small, Document: small, Files: 24 * time.Hour, Outputs: time.Hour, Fetch: true}
		},
	})
	shelf := catalog.New()
	if err := shelf.Replace(catalog.Contents{Media: []media.Model{{
		ID: "acme/draw", Name: "Draw", MediaType: "image", Kind: "studio",
		Operations: []media.Operation{
			{Mode: "text_to_image", Input: media.Input{Required: []string{"prompt"}}},
			{
				Mode: "image_to_image", Input: media.Input{Required: []string{"image_urls"}},
				Limits: map[string]media.Limit{"image_urls": {MB: 0.002, Formats: []string{"image/png", "image/jpeg"}}},
			},
		},
	}}}); err != nil {
		t.Fatal(err)
	}
	b.door = New(Options{
		Access: keys, Catalog: shelf, Apps: app.NewRunner(app.Options{Library: app.NewLibrary(), Catalog: shelf}), Files: b.files,
		Relay: relay.New(relay.Options{Keeper: forgetful{}, Now: time.Now}),
		Settings: func() Settings {
			return Settings{AllowDevelopment: true, JSONBody: 1 << 20, UploadBody: small + 64<<10}
		},
		Draining: func() bool { return false },
	})
	b.Server = httptest.NewServer(server.Unlogged(func() server.Bounds {
		bounds := wide
		bounds.BodyStall = cmp.Or(time.Duration(b.stall.Load()), bounds.BodyStall)
		return bounds
	}, b.door))
	t.Cleanup(b.Close)
	return b
}

// left names every trace of a file: rows in whatever state, and files on the disk.
func (b *filesBench) left(t *testing.T) (traces []string) {
	t.Helper()
	rows, err := b.rows.QueryContext(t.Context(), `SELECT id, state FROM files`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, state string
		if err := rows.Scan(&id, &state); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, "row "+id+" "+state)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(b.folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			traces = append(traces, "file "+name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

// upload is a form as a client sends it.
type upload struct {
	name   string            // of the file
	body   []byte            // of the file
	fields map[string]string // before it
	after  map[string]string // behind it
	header map[string]string // of the request
}

func (u upload) form() (body *bytes.Buffer, contentType string) {
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	for name, value := range u.fields {
		_ = w.WriteField(name, value)
	}
	h := make(textproto.MIMEHeader)
	h.Set("Content-Disposition", `form-data; name="file"; filename="`+strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(u.name)+`"`)
	h.Set("Content-Type", "image/png") // whatever it is: clients may say anything
	part, _ := w.CreatePart(h)
	_, _ = part.Write(u.body)
	for name, value := range u.after {
		_ = w.WriteField(name, value)
	}
	_ = w.Close()
	return body, w.FormDataContentType()
}

type answered struct {
	status int
	body   string
	header http.Header
}

// put sends a form.
func (b *filesBench) put(t *testing.T, u upload) answered {
	t.Helper()
	body, contentType := u.form()
	return b.send(t, body, contentType, u.header)
}

func (b *filesBench) send(t *testing.T, body io.Reader, contentType string, header map[string]string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.URL+"/api/v1/files", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.key)
	r.Header.Set("Content-Type", contentType)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := b.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{answer.StatusCode, string(text), answer.Header}
}

// sample reads one of the small files that other programs made.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "file", "testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fileOf reads the file in a native answer.
func fileOf(t *testing.T, a answered) wireFile {
	t.Helper()
	var body struct {
		Data wireFile `json:"data"`
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusCreated {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return body.Data
}

package api

import (
	"context"
	"database/sql"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/relay"
	"stele/internal/replay"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
)

// keyedHouse is a database and a folder that one process after another works on.
type keyedHouse struct {
	db     *store.Store
	blobs  *blob.Dir
	keys   *access.Service
	folder string
	key    string
	most   atomic.Int64 // unfinished generations of a key
}

// keyedProcess is a door with all that Idempotency-Keys need behind it.
type keyedProcess struct {
	*filesBench
	house *keyedHouse
	claim func() error // fails or delays the keeping of answers, where it is set
}

const paintModel = `
model: acme/paint
media_type: image
kind: acme
operations:
  - mode: text_to_image
    input: {required: [prompt]}
    price: {usd: 0.04, per: image}
    parameters:
      - {name: n, type: integer, default: 1, min: 1, max: 4}
      - {name: seed, type: integer, min: 0}
`

func newKeyedHouse(t *testing.T, engine string) *keyedHouse {
	t.Helper()
	databaseURL, folder := template.Place(t, engine)
	db, err := store.Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	db.SetQueue(store.Queue{
		Enqueue: func(context.Context, *sql.Tx, []generation.Job) error { return nil }, Wake: func([]generation.Job) {},
	})
	h := &keyedHouse{db: db, keys: access.New(db, seal.New(), time.Now), folder: t.TempDir()}
	h.most.Store(1_000_000)
	if h.blobs, err = blob.OpenDir(h.folder, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.blobs.Close() })
	h.key = h.newKey(t, access.NewKey{Name: "k"})
	return h
}

func (h *keyedHouse) newKey(t *testing.T, n access.NewKey) string {
	t.Helper()
	_, secret, err := h.keys.CreateKey(t.Context(), access.CommandLine("default"), n)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// process starts another process, while those before it are dead.
func (h *keyedHouse) process(t *testing.T, node string) *keyedProcess {
	t.Helper()
	p := &keyedProcess{house: h, filesBench: &filesBench{bench: &bench{key: h.key}, folder: h.folder}}
	m, err := media.Read("paint.yaml", []byte(paintModel))
	if err != nil {
		t.Fatal(err)
	}
	shelf := catalog.New()
	if err := shelf.Replace(catalog.Contents{Media: []media.Model{m}}); err != nil {
		t.Fatal(err)
	}
	log, public := slog.New(slog.DiscardHandler), &url.URL{Scheme: "https", Host: "stele.example.com"}
	p.files = file.New(file.Options{
		Store: h.db, Blobs: h.blobs, Secret: []byte("a secret"), Log: log, Now: time.Now,
		Public: func() *url.URL { return public }, Outside: func() *http.Client { return nil },
		Settings: func() file.Settings {
			return file.Settings{URLLife: 7 * 24 * time.Hour, Image: small, Video: small, Audio: small, Document: small, Files: time.Hour, Outputs: time.Hour}
		},
	})
	p.door = New(Options{
		Access: h.keys, Catalog: shelf, Apps: app.NewRunner(app.Options{Library: app.NewLibrary(), Catalog: shelf}), Files: p.files,
		Relay: relay.New(relay.Options{Keeper: forgetful{}, Now: time.Now}),
		Generations: generation.New(generation.Options{
			Node: node, Store: h.db, Files: p.files, Catalog: shelf, Alone: true, Log: log, Now: time.Now,
			Settings: func() generation.Settings {
				return generation.Settings{Unfinished: int(h.most.Load()), CreditsPerUSD: 100}
			},
		}),
		Replay:   replay.New(replay.Options{Store: &keeping{h.db, p}, Node: node, Alone: true, Now: time.Now}),
		Settings: func() Settings { return roomy }, Draining: func() bool { return false },
	})
	p.Server = httptest.NewServer(p.door)
	t.Cleanup(p.Close)
	return p
}

// keeping is the store, in the hands of a process that may die.
type keeping struct {
	*store.Store
	process *keyedProcess
}

func (k *keeping) FinishClaim(ctx context.Context, c replay.Claim) error {
	if k.process.claim != nil {
		if err := k.process.claim(); err != nil {
			return err
		}
	}
	return k.Store.FinishClaim(ctx, c)
}

// post orders a generation with an Idempotency-Key.
func (p *keyedProcess) post(t *testing.T, key, body string) answered {
	t.Helper()
	return p.postAs(t, p.key, []string{key}, body)
}

func (p *keyedProcess) postAs(t *testing.T, secret string, keys []string, body string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/api/v1/generations", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header["Idempotency-Key"] = keys
	answer, err := p.Client().Do(r)
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

// tasks lists the ids of all generations.
func (h *keyedHouse) tasks(t *testing.T) []string {
	t.Helper()
	list, err := h.db.Tasks(t.Context(), "default", 100_000)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(list))
	for i, task := range list {
		ids[i] = task.ID
	}
	return ids
}

func isReplay(first, again answered) bool {
	return again.status == first.status && again.body == first.body && again.header.Get("Content-Type") == first.header.Get("Content-Type") &&
		first.header.Get("Idempotency-Replayed") == "" && again.header.Get("Idempotency-Replayed") == "true"
}

// blobsIn lists the files of the blob store.
func blobsIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

package assembly

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/blob"
	"stele/internal/config"
	"stele/internal/store"
	"stele/internal/table"
	"stele/internal/uid"
)

// Move copies an installation to another database, to other storage for its files, or
// both. What it comes from stays as it is.
type Move struct {
	*Installation

	To       config.Config // with the other database_url, blob_url or both
	Database bool
	Files    bool
	Getenv   func(string) string
}

// Direct says where to: a database URL or sqlite, a blob URL or folder; "" leaves it.
func (m *Move) Direct(database, files string) error {
	for _, way := range []struct {
		where, home string
		to          *config.Secret
	}{{database, "sqlite", &m.To.DatabaseURL}, {files, "folder", &m.To.BlobURL}} {
		switch way.where {
		case "":
		case way.home:
			*way.to = ""
		default:
			*way.to = config.Secret(way.where)
		}
	}
	if m.Database && m.To.DatabaseURL == m.Config.DatabaseURL || m.Files && m.To.BlobURL == m.Config.BlobURL {
		return errors.New("everything is there already")
	}
	return nil
}

// Moved is what was copied.
type Moved struct {
	Tables int   `json:"tables"`
	Rows   int64 `json:"rows"`
	Jobs   int64 `json:"jobs"`
	Files  int   `json:"files"`
	Sealed int   `json:"sealed"`
}

// silence is how long a server must not have been heard of to count as stopped.
const silence = 15 * time.Second

// Run copies. Nothing may serve meanwhile: what a server changed after the copy began
// would be missing in it.
func (m *Move) Run(ctx context.Context) (out Moved, err error) {
	unlock, err := lockFolder(m.Config)
	if err != nil {
		return out, err
	}
	defer unlock()
	living, err := m.Store.LivingNodes(ctx, time.Now().Add(-silence))
	if err != nil {
		return out, err
	}
	if len(living) > 0 && m.Store.Engine() != "sqlite" { // the lock has kept the one of SQLite away
		return out, fmt.Errorf("servers were heard of in the last %s: stop them first (%s)", silence, strings.Join(living, ", "))
	}
	if err := m.flushJournal(ctx); err != nil {
		return out, err
	}
	n, err := m.Store.Snapshot(ctx)
	if err != nil {
		return out, err
	}
	defer n.Close()
	if m.Files {
		if out.Files, err = m.moveFiles(ctx, n); err != nil {
			return out, err
		}
	}
	if m.Database {
		if err := m.moveRows(ctx, n, &out); err != nil {
			return out, err
		}
	}
	out.Sealed, err = openWhatIsSealed(ctx, &m.To)
	return out, err
}

// flushJournal carries usage that is on disk into the database, so that it is copied.
func (m *Move) flushJournal(ctx context.Context) error {
	j, err := store.OpenJournal(m.Store, filepath.Join(m.Config.Data, "journal"))
	if err != nil {
		return err
	}
	var refused int
	j.OnRefused = func(store.Refused) { refused++ }
	if err := j.Flush(ctx); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("%d records of usage were refused by the database: see journal/refused.jsonl in the data folder, then call this again", refused)
	}
	return nil
}

func (m *Move) moveRows(ctx context.Context, n *store.Snapshot, out *Moved) error {
	jobs, err := openQueue(ctx, m.Store, uid.New("node"), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, m.To.DatabaseURL.Reveal(), m.To.Data)
	if err != nil {
		return err
	}
	defer db.Close()
	sums := make(map[string]*table.Sum)
	c := store.Content{Version: n.Version, Tables: n.Tables}
	c.Rows = func(t table.Table) table.Rows {
		sums[t.Name] = new(table.Sum)
		return t.Count(n.Rows(ctx, t), sums[t.Name])
	}
	c.Agree = func(there map[string]table.Sum) error {
		for name, sum := range sums {
			if got := there[name]; got != *sum {
				return fmt.Errorf("%s differs: %d rows were read, %d are there", name, sum.Rows(), got.Rows())
			}
		}
		return nil
	}
	out.Tables = len(n.Tables)
	out.Jobs, err = fill(ctx, db, c, func() table.Rows { return jobs.Undone(ctx, n) })
	for _, sum := range sums {
		out.Rows += sum.Rows()
	}
	return err
}

func (m *Move) moveFiles(ctx context.Context, n *store.Snapshot) (int, error) {
	blobs, err := n.Blobs(ctx)
	if err != nil {
		return 0, err
	}
	from, err := openBlobs(m.Config, m.Getenv)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := openBlobs(&m.To, m.Getenv)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	var wrong error // of files that are missing or changed all are named
	for _, key := range slices.Sorted(maps.Keys(blobs)) {
		err := m.moveFile(ctx, from, to, key, blobs[key])
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errChanged) {
			return 0, err
		}
		wrong = errors.Join(wrong, err)
	}
	return len(blobs), wrong
}

func (m *Move) moveFile(ctx context.Context, from, to blob.Store, key, sum string) error {
	body, err := from.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	return copyBlob(ctx, to, key, sum, body)
}

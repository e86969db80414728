package assembly

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/archive"
	"stele/internal/blob"
	"stele/internal/config"
	"stele/internal/queue"
	"stele/internal/store"
	"stele/internal/table"
	"stele/internal/uid"
)

// Backup saves an installation into a folder, while servers go on.
type Backup struct {
	*Installation

	Folder     string
	Recipients []string // who can open the master key in it; none: it is not in it
	Version    string   // of this program
	Getenv     func(string) string
}

// Run makes the backup. Files that the database speaks of and that are not as they
// were kept are an error, after everything else was saved.
func (b *Backup) Run(ctx context.Context) (*archive.Manifest, error) {
	w, err := archive.Create(b.Folder)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	m := &archive.Manifest{Version: b.Version, Engine: b.Store.Engine(), At: time.Now().UTC()}
	if err := b.saveMaster(w, m); err != nil {
		return nil, err
	}
	// A record of usage is in the journal before it is in the database: read in this
	// order, it is in one of them. One that is in both counts once.
	if err := b.saveJournal(w); err != nil {
		return nil, err
	}
	blobs, err := b.saveRows(ctx, w, m)
	if err != nil {
		return nil, err
	}
	wrong, err := b.saveBlobs(ctx, w, m, blobs)
	if err != nil {
		return nil, err
	}
	if err := w.Finish(m); err != nil {
		return nil, err
	}
	if err := b.Store.NoteBackup(ctx, m.At); err != nil {
		return nil, fmt.Errorf("the backup is made, but that could not be written down: %w", err)
	}
	if len(wrong) > 0 {
		return m, fmt.Errorf("the backup is made, but these files are not as they were kept: %s", strings.Join(wrong, ", "))
	}
	return m, nil
}

// saveMaster saves the master keys at hand for the recipients, or only which they are.
func (b *Backup) saveMaster(w *archive.Writer, m *archive.Manifest) error {
	masters, err := b.files.read()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, master := range masters {
		m.Masters = append(m.Masters, master.Fingerprint())
		text.WriteString(master.Text() + "\n")
	}
	if len(b.Recipients) == 0 {
		return nil
	}
	recipients, err := archive.ParseRecipients(b.Recipients)
	if err != nil {
		return err
	}
	m.Wrapped = true
	return w.SaveMaster(text.String(), recipients)
}

// journalOwner is what the file beside the journal is called in a backup.
const journalOwner = "owner"

func (b *Backup) saveJournal(w *archive.Writer) error {
	folder := filepath.Join(b.Config.Data, "journal")
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	save := func(name, as string) error {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is in the database by now
		}
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		defer f.Close()
		return w.SaveJournal(as, f)
	}
	for _, name := range names {
		if err := save(name, filepath.Base(name)); err != nil {
			return err
		}
	}
	return save(folder+".owner", journalOwner)
}

// saveRows saves the tables and the jobs as of one moment, and returns the files that
// they speak of.
func (b *Backup) saveRows(ctx context.Context, w *archive.Writer, m *archive.Manifest) (map[string]string, error) {
	jobs, err := openQueue(ctx, b.Store, uid.New("node"), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	n, err := b.Store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	m.Schema = n.Version
	for _, t := range n.Tables {
		part, err := w.Table(t, n.Rows(ctx, t))
		if err != nil {
			return nil, err
		}
		m.Tables = append(m.Tables, part)
	}
	if m.Jobs, err = w.Table(queue.Jobs, jobs.Undone(ctx, n)); err != nil {
		return nil, err
	}
	return n.Blobs(ctx)
}

// saveBlobs copies the files, names those that are not as they were kept, and marks them for stele doctor.
func (b *Backup) saveBlobs(ctx context.Context, w *archive.Writer, m *archive.Manifest, blobs map[string]string) (wrong []string, err error) {
	from, err := openBlobs(b.Config, b.Getenv)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	for _, key := range slices.Sorted(maps.Keys(blobs)) {
		r, err := from.Open(ctx, key, 0, -1)
		if errors.Is(err, fs.ErrNotExist) {
			kept, err := b.Store.MarkBlobDamaged(ctx, key, time.Now())
			if err != nil {
				return nil, err
			}
			if m.Gone = append(m.Gone, key); kept {
				wrong = append(wrong, key)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		size, sum, err := w.Blob(key, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		m.Blobs++
		m.Bytes += size
		if sum != blobs[key] {
			if _, err := b.Store.MarkBlobDamaged(ctx, key, time.Now()); err != nil {
				return nil, err
			}
			wrong = append(wrong, key)
		}
	}
	return wrong, nil
}

// openBlobs opens where files are kept, beside a server that may be writing there.
func openBlobs(cfg *config.Config, getenv func(string) string) (blob.Store, error) {
	if cfg.BlobURL.Reveal() == "" {
		return blob.OpenDir(filepath.Join(cfg.Data, "blobs"), true)
	}
	client, err := OperatorClient(cfg, getenv)
	if err != nil {
		return nil, err
	}
	return blob.Open(blob.Options{URL: cfg.BlobURL.Reveal(), Client: client, Getenv: getenv, Spool: cfg.Data})
}

// fill puts what was saved or is elsewhere into an unused database. One that has it all already is left as it is.
func fill(ctx context.Context, db *store.Store, c store.Content, jobs func() table.Rows) (taken int64, err error) {
	if used, err := db.WasUsed(ctx); err != nil {
		return 0, err
	} else if used {
		return 0, db.Holds(ctx, c)
	}
	q, err := openQueue(ctx, db, uid.New("node"), slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	c.Also = func(ctx context.Context, tx *sql.Tx) (err error) {
		taken, err = q.TakeOver(ctx, tx, jobs())
		return err
	}
	return taken, db.Fill(ctx, c)
}

var errChanged = errors.New("is not as it was kept")

// copyBlob copies a file that its checksum agrees with. Of another nothing is left behind.
func copyBlob(ctx context.Context, to blob.Store, key, sum string, from io.ReadCloser) error {
	defer from.Close()
	seen := sha256.New()
	end := ending(func() error {
		if fmt.Sprintf("%x", seen.Sum(nil)) != sum {
			return fmt.Errorf("file %s %w", key, errChanged)
		}
		return io.EOF
	})
	_, err := to.Put(ctx, key, io.MultiReader(io.TeeReader(from, seen), end))
	return err
}

// ending is a reader without bytes that says how it all ends.
type ending func() error

func (e ending) Read([]byte) (int, error) { return 0, e() }

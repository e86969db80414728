package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/archive"
	"stele/internal/config"
	"stele/internal/disk"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/table"
)

// Restore puts a backup into an installation that was never used.
type Restore struct {
	Config   *config.Config
	Folder   string
	Identity io.Reader // opens the master key in the backup; nil: it is given by the configuration
	Getenv   func(string) string
}

// Restored is what came back.
type Restored struct {
	archive.Manifest

	Sealed     int   // values that the master key opens
	Unfinished int64 // jobs that go on when a server starts
}

// Verify restores the backup into a folder that is thrown away: whatever would go
// wrong, goes wrong there. Nothing else is changed.
func (r *Restore) Verify(ctx context.Context) (Restored, error) {
	folder, err := os.MkdirTemp("", "stele-verify-")
	if err != nil {
		return Restored{}, fmt.Errorf("verify: %w", err)
	}
	defer os.RemoveAll(folder)
	apart := *r
	cfg := *r.Config
	cfg.Data, cfg.DatabaseURL, cfg.BlobURL = folder, "", ""
	apart.Config = &cfg
	if cfg.MasterKeyFile == "" && r.Identity == nil {
		err := copyInto(MasterFile(&cfg), func() (io.ReadCloser, error) { return os.Open(MasterFile(r.Config)) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Restored{}, fmt.Errorf("verify: %w", err)
		}
	}
	return apart.run(ctx, false)
}

// Run restores the backup.
func (r *Restore) Run(ctx context.Context) (Restored, error) { return r.run(ctx, true) }

func (r *Restore) run(ctx context.Context, withFiles bool) (Restored, error) {
	from, err := archive.Open(r.Folder)
	if err != nil {
		return Restored{}, err
	}
	defer from.Close()
	if err := from.Check(ctx); err != nil {
		return Restored{}, fmt.Errorf("the backup is damaged: %w", err)
	}
	if err := disk.MakeFolders(r.Config.Data); err != nil {
		return Restored{}, fmt.Errorf("make data folder: %w", err)
	}
	unlock, err := lockFolder(r.Config)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	made, err := r.placeMaster(from)
	if err != nil {
		return Restored{}, err
	}
	out := Restored{Manifest: from.Manifest}
	if out.Unfinished, err = r.putRows(ctx, from, withFiles); err != nil {
		if made != "" {
			_ = disk.Remove(made) // the folder is as it was
		}
		return Restored{}, err
	}
	out.Sealed, err = openWhatIsSealed(ctx, r.Config)
	return out, err
}

// placeMaster writes the master key of the backup where it is looked for, unless the
// right one is there already. It returns the file that it made.
func (r *Restore) placeMaster(from *archive.Reader) (made string, err error) {
	path := MasterFile(r.Config)
	if there, err := seal.Load(path); err == nil {
		if there.Fingerprint() != from.Masters[0] {
			return "", fmt.Errorf("%s is not the master key of this backup, whose fingerprint is %s", path, from.Masters[0])
		}
		return "", nil
	}
	if r.Identity == nil {
		return "", fmt.Errorf("the master key %s is needed: give it with --master-key-file, or with --identity if it is in the backup", from.Masters[0])
	}
	text, err := from.Master(r.Identity)
	if err != nil {
		return "", err
	}
	for i, line := range slices.Backward(strings.Fields(text)) { // while the first one is missing, all are written again
		name := path
		if i > 0 {
			name = masterFiles{path}.next() // the one that a change was going to
		}
		if err := disk.WriteFile(name, []byte(line+"\n")); err != nil {
			return "", fmt.Errorf("write master key: %w", err)
		}
	}
	return path, nil
}

// putRows puts files first and rows then: until the rows are there, nothing is.
func (r *Restore) putRows(ctx context.Context, from *archive.Reader, withFiles bool) (unfinished int64, err error) {
	db, err := store.Open(ctx, r.Config.DatabaseURL.Reveal(), r.Config.Data)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	used, err := db.WasUsed(ctx)
	if err == nil && withFiles && !used {
		err = r.putFiles(ctx, from)
	}
	if err != nil {
		return 0, err
	}
	parts := make(map[string]archive.Part)
	c := store.Content{Version: from.Schema, Agree: from.Agree}
	for _, p := range from.Tables {
		parts[p.Name] = p
		c.Tables = append(c.Tables, p.Table)
	}
	c.Rows = func(t table.Table) table.Rows { return from.Rows(parts[t.Name]) }
	return fill(ctx, db, c, func() table.Rows { return from.Rows(from.Jobs) })
}

func (r *Restore) putFiles(ctx context.Context, from *archive.Reader) error {
	to, err := openBlobs(r.Config, r.Getenv)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, key := range from.Blobs() {
		body, err := from.Blob(key)
		if err != nil {
			return err
		}
		if _, err := to.Put(ctx, key, body); err != nil {
			return errors.Join(err, body.Close())
		}
		_ = body.Close()
	}
	folder := filepath.Join(r.Config.Data, "journal")
	if err := disk.MakeFolders(folder); err != nil {
		return fmt.Errorf("restore journal: %w", err)
	}
	for _, name := range from.Journals() {
		path := filepath.Join(folder, filepath.Base(name))
		if name == journalOwner {
			path = folder + ".owner"
		}
		if err := copyInto(path, func() (io.ReadCloser, error) { return from.Journal(name) }); err != nil {
			return fmt.Errorf("restore journal: %w", err)
		}
	}
	return nil
}

func copyInto(path string, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// openWhatIsSealed opens an installation and everything that is sealed in it.
func openWhatIsSealed(ctx context.Context, cfg *config.Config) (int, error) {
	h, err := Open(ctx, cfg)
	if err != nil {
		return 0, err
	}
	defer h.Close()
	opened, broken, err := h.VerifySealed(ctx)
	if err == nil && len(broken) > 0 {
		err = fmt.Errorf("the master key does not open %s", strings.Join(broken, ", "))
	}
	return opened, err
}

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"time"

	"stele/internal/disk"
	"stele/internal/fault"
	"stele/internal/pause"
	"stele/internal/uid"
)

// staging is where blobs are written before they appear. No key leads there:
// none begins with a dot.
const staging = ".staging"

// abandoned is how old a staged blob of a shared folder must be before it is
// taken for one whose process died. A writer that lives writes more often.
const abandoned = time.Hour

// Dir keeps blobs as files in a folder. It is safe for concurrent use, by
// several processes as well.
type Dir struct{ root *disk.Root }

// OpenDir opens the folder, makes it where it is missing, and removes what was
// left half-written. Where the folder is shared with other processes, only what
// has not been written to for an hour is left.
func OpenDir(folder string, shared bool) (*Dir, error) {
	if err := disk.MakeFolders(folder); err != nil {
		return nil, fmt.Errorf("make blob folder: %w", err)
	}
	root, err := disk.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open blob folder: %w", err)
	}
	d := &Dir{root: root}
	if err := root.Mkdir(staging, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(fmt.Errorf("make blob folder: %w", err), root.Close())
	}
	before := time.Now()
	if shared {
		before = before.Add(-abandoned)
	}
	if err := d.sweep(before); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Close gives the folder back.
func (d *Dir) Close() error { return d.root.Close() }

// Check reports whether the folder is still there.
func (d *Dir) Check(context.Context) error {
	_, err := d.root.Stat(staging)
	return err
}

// Put stores what r gives under key: all of it, on the disk, or nothing.
func (d *Dir) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	temp := path.Join(staging, uid.Secret(16))
	n, err := d.stage(ctx, temp, r)
	if err == nil {
		err = d.publish(temp, key)
	}
	if err != nil {
		_ = d.root.Remove(temp)
		return 0, fmt.Errorf("put blob %s: %w", key, fault.OfDisk(err))
	}
	return n, nil
}

// Open reads n bytes of a blob from off on, all the rest where n is negative.
func (d *Dir) Open(_ context.Context, key string, off, n int64) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := d.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist // a folder of blobs is none itself
	}
	if err == nil {
		_, err = f.Seek(off, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open blob %s: %w", key, err), f.Close())
	}
	if n < 0 {
		return f, nil
	}
	return &piece{io.LimitReader(f, n), f}, nil
}

// Delete forgets a blob. One that is not there is no error.
func (d *Dir) Delete(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := d.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// stage writes what r gives to a file, down to the disk.
func (d *Dir) stage(ctx context.Context, temp string, r io.Reader) (int64, error) {
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, pause.Reader(ctx, r))
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return n, err
}

// publish gives a staged file its name. The folders' entries reach the disk as
// well: without that a file could be forgotten that was promised.
func (d *Dir) publish(temp, key string) error {
	folder := path.Dir(key)
	made, err := d.makeFolders(folder)
	if err != nil {
		return err
	}
	if err := d.root.Rename(temp, key); err != nil {
		return err
	}
	for _, f := range append(made, folder) {
		if err := d.sync(f); err != nil {
			_ = d.root.Remove(key)
			return err
		}
	}
	return nil
}

// makeFolders makes a folder and those above it, and lists the ones that have a
// new entry.
func (d *Dir) makeFolders(folder string) (changed []string, err error) {
	if _, err := d.root.Stat(folder); err == nil {
		return nil, nil
	}
	above := path.Dir(folder)
	if changed, err = d.makeFolders(above); err != nil {
		return nil, err
	}
	if err := d.root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return append(changed, above), nil
}

func (d *Dir) sync(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// sweep removes staged files that were last written to before a time.
func (d *Dir) sweep(before time.Time) error {
	left, err := fs.ReadDir(d.root.FS(), staging)
	if err != nil {
		return fmt.Errorf("sweep blob folder: %w", err)
	}
	for _, entry := range left {
		if info, err := entry.Info(); err != nil || info.ModTime().After(before) {
			continue // gone meanwhile, or alive
		}
		if err := d.root.Remove(path.Join(staging, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweep blob folder: %w", err)
		}
	}
	return nil
}

// piece is a part of a file.
type piece struct {
	io.Reader
	io.Closer
}

package archive

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/disk"
	"stele/internal/table"
)

// Writer makes a backup. Until Finish it has another name: what is half written is
// no backup.
type Writer struct {
	folder string
	root   *disk.Root
	made   map[string]bool // folders in it
	sums   strings.Builder
}

// Create begins a backup in a folder that must not exist yet.
func Create(folder string) (*Writer, error) {
	if _, err := os.Lstat(folder); err == nil {
		return nil, fmt.Errorf("%s exists already", folder)
	}
	partial := folder + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return nil, fmt.Errorf("make backup: %w", err)
	}
	if err := disk.MakeFolders(partial); err != nil {
		return nil, fmt.Errorf("make backup: %w", err)
	}
	root, err := disk.OpenRoot(partial)
	if err != nil {
		return nil, fmt.Errorf("make backup: %w", err)
	}
	return &Writer{folder: folder, root: root, made: map[string]bool{".": true}}, nil
}

// Close gives up a backup that was not finished; after Finish it does nothing.
func (w *Writer) Close() {
	_ = w.root.Close()
	_ = os.RemoveAll(w.folder + ".partial")
}

// Table saves rows.
func (w *Writer) Table(t table.Table, rows table.Rows) (Part, error) {
	p := Part{Table: t}
	var sum table.Sum
	err := w.save(p.file(), func(out io.Writer) error {
		packed, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
		lines := bufio.NewWriterSize(packed, 64<<10)
		var line []byte
		for row, err := range rows {
			if err == nil {
				line, err = t.AppendRow(line[:0], row)
			}
			if err != nil {
				return err
			}
			sum.Add(line)
			if _, err := lines.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return errors.Join(lines.Flush(), packed.Close())
	})
	p.Rows, p.Sum = sum.Rows(), sum.String()
	return p, err
}

// Blob saves a file under its key, and returns its size and checksum.
func (w *Writer) Blob(key string, r io.Reader) (size int64, sum string, err error) {
	if err := refuseOutside(key); err != nil {
		return 0, "", err
	}
	err = w.save(path.Join(blobFolder, key), func(out io.Writer) error {
		seen := sha256.New()
		size, err = io.Copy(io.MultiWriter(out, seen), r)
		sum = fmt.Sprintf("%x", seen.Sum(nil))
		return err
	})
	return size, sum, err
}

// SaveJournal saves a file of usage that is not yet in the database.
func (w *Writer) SaveJournal(name string, r io.Reader) error {
	return w.save(path.Join(journal, name), func(out io.Writer) error { _, err := io.Copy(out, r); return err })
}

// Finish writes down what the backup holds and gives it its name. When it returns all of it is on the disk.
func (w *Writer) Finish(m *Manifest) error {
	m.Format = format
	err := w.save(manifestName, func(out io.Writer) error {
		return json.MarshalWrite(out, m, jsontext.WithIndent("  "))
	})
	if err != nil {
		return err
	}
	if err := w.write(sumsName, func(out io.Writer) error { _, err := io.WriteString(out, w.sums.String()); return err }); err != nil {
		return err
	}
	_ = w.root.Close() // Windows renames no open folder
	if err := w.publish(); err != nil {
		return fmt.Errorf("finish backup: %w", err)
	}
	return nil
}

// publish has the disk keep all names, and that of the backup last.
func (w *Writer) publish() error {
	partial := w.folder + ".partial"
	for name := range w.made {
		if err := disk.SyncFolder(filepath.Join(partial, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if err := disk.Rename(partial, w.folder); err != nil {
		return err
	}
	if err := disk.SyncFolder(filepath.Dir(w.folder)); err != nil {
		return errors.Join(err, disk.Rename(w.folder, partial)) // it was not promised yet
	}
	return nil
}

// save writes a file and notes its checksum.
func (w *Writer) save(name string, do func(io.Writer) error) error {
	var seen hash.Hash = sha256.New()
	if err := w.write(name, func(out io.Writer) error { return do(io.MultiWriter(out, seen)) }); err != nil {
		return err
	}
	fmt.Fprintf(&w.sums, "%x  %s\n", seen.Sum(nil), name)
	return nil
}

func (w *Writer) write(name string, do func(io.Writer) error) error {
	if err := w.makeFolder(path.Dir(name)); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	err = do(f)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}

func (w *Writer) makeFolder(name string) error {
	if w.made[name] {
		return nil
	}
	if err := w.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	if err := w.root.Mkdir(filepath.FromSlash(name), 0o700); err != nil {
		return err
	}
	w.made[name] = true
	return nil
}

package archive

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/pause"
	"stele/internal/table"
)

// Reader reads a backup.
type Reader struct {
	Manifest

	root *os.Root
	sums map[string]string // of each file, by its name
}

// Open opens a backup. Nothing but the manifest is read yet.
func Open(folder string) (*Reader, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open backup: %w", err)
	}
	r := &Reader{root: root, sums: make(map[string]string)}
	if err := r.open(); err != nil {
		r.Close()
		return nil, fmt.Errorf("open backup %s: %w", folder, err)
	}
	return r, nil
}

func (r *Reader) open() error {
	text, err := r.root.ReadFile(sumsName)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if err := refuseOutside(name); err != nil || !ok {
			return errors.Join(fmt.Errorf("%s cannot be read", sumsName), err)
		}
		r.sums[name] = sum
	}
	if err := r.check(context.Background(), manifestName); err != nil {
		return err
	}
	raw, err := r.root.ReadFile(manifestName)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &r.Manifest); err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	if r.Format != format {
		return fmt.Errorf("it has format %d and this stele reads %d", r.Format, format)
	}
	return nil
}

// Close lets go of the folder.
func (r *Reader) Close() { _ = r.root.Close() }

// Check reads every file and compares its checksum, and names all that differ.
func (r *Reader) Check(ctx context.Context) error {
	var wrong []error
	if n := len(r.Blobs()); n != r.Manifest.Blobs {
		wrong = append(wrong, fmt.Errorf("%d files are listed, not %d", n, r.Manifest.Blobs))
	}
	for _, name := range r.names() {
		if err := r.check(ctx, name); err != nil {
			wrong = append(wrong, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return errors.Join(wrong...)
}

func (r *Reader) check(ctx context.Context, name string) error {
	f, err := r.file(name)
	if err != nil {
		return err
	}
	defer f.Close()
	seen := sha256.New()
	if _, err := io.Copy(seen, pause.Reader(ctx, f)); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if r.sums[name] != fmt.Sprintf("%x", seen.Sum(nil)) {
		return fmt.Errorf("%s was changed since it was saved", name)
	}
	return nil
}

// Rows reads a table. The last row is followed by an error if they are not those
// that were saved.
func (r *Reader) Rows(p Part) table.Rows {
	return func(yield func([]any, error) bool) {
		f, err := r.file(p.file())
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		lines, err := gzip.NewReader(bufio.NewReaderSize(f, 64<<10))
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", p.file(), err))
			return
		}
		var sum table.Sum
		for in := bufio.NewReaderSize(lines, 64<<10); ; {
			line, err := in.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				break
			}
			var row []any
			if err == nil {
				line = line[:len(line)-1]
				sum.Add(line)
				row, err = p.ParseRow(line)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := p.compare(&sum); err != nil {
			yield(nil, err)
		}
	}
}

// Blobs are the keys of all files.
func (r *Reader) Blobs() []string { return r.below(blobFolder) }

// Blob reads a file.
func (r *Reader) Blob(key string) (io.ReadCloser, error) { return r.file(path.Join(blobFolder, key)) }

// Journals are the names of the files of usage that was not yet in the database.
func (r *Reader) Journals() []string { return r.below(journal) }

// Journal reads one of them.
func (r *Reader) Journal(name string) (io.ReadCloser, error) { return r.file(path.Join(journal, name)) }

func (r *Reader) below(folder string) []string {
	var list []string
	for _, name := range r.names() {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			list = append(list, rest)
		}
	}
	return list
}

func (r *Reader) names() []string { return slices.Sorted(maps.Keys(r.sums)) }

func (r *Reader) file(name string) (*os.File, error) {
	if _, ok := r.sums[name]; !ok {
		return nil, fmt.Errorf("%s is not listed in %s", name, sumsName)
	}
	return r.root.Open(filepath.FromSlash(name))
}

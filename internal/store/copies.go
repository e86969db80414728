package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stele/internal/disk"
)

const copyName = "stele.db.schema-"

// mostCopies are kept of before upgrades; each is as large as the database.
const mostCopies = 2

// copyDatabase writes the database of a schema into a file beside it, whole or not at all, and
// removes the oldest ones.
func (s *Store) copyDatabase(ctx context.Context, schema int64) error {
	path := filepath.Join(s.folder, copyName+strconv.FormatInt(schema, 10))
	part := path + ".part"
	if err := disk.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.writeCopy(ctx, part, path); err != nil {
		_ = disk.Remove(part) // what there is of it is of no use
		return err
	}
	copies, err := databaseCopies(s.folder)
	if err != nil {
		return err
	}
	for len(copies) > mostCopies {
		if err := disk.Remove(filepath.Join(s.folder, copies[0])); err != nil {
			return err
		}
		copies = copies[1:]
	}
	return nil
}

// writeCopy makes a copy in one file and gives it the name of another when the disk has it.
func (s *Store) writeCopy(ctx context.Context, part, path string) error {
	if _, err := s.write.ExecContext(ctx, `VACUUM INTO $1`, part); err != nil {
		return err
	}
	if err := os.Chmod(part, 0o600); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	if err := disk.Rename(part, path); err != nil {
		return err
	}
	return disk.SyncFolder(s.folder)
}

// databaseCopies are the copies in a folder, that of the oldest schema first.
func databaseCopies(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, copyName+"*"))
	if err != nil {
		return nil, err
	}
	schemas := make(map[string]int64)
	var names []string
	for _, p := range paths {
		name := filepath.Base(p)
		if n, err := strconv.ParseInt(strings.TrimPrefix(name, copyName), 10, 64); err == nil {
			names, schemas[name] = append(names, name), n
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(schemas[a], schemas[b]) })
	return names, nil
}

// syncFile waits until a file is on the disk.
func syncFile(path string) error {
	f, err := disk.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

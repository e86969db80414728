package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stele/internal/disk"
)

// Load reads the master key kept at path.
func Load(path string) (*Master, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	m, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("master key file %s: %w", path, err)
	}
	return m, nil
}

// LoadOrMake reads the master key kept at path, or makes one there that only the
// owner can read. When two processes make it at once, both end with the same key.
func LoadOrMake(path string) (*Master, error) {
	sweep(filepath.Dir(path))
	m, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	temp, err := disk.CreateTemp(filepath.Dir(path), temporary+"*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	defer disk.Remove(temp.Name())
	_, err = temp.WriteString(New().Text() + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	// A link appears whole or not at all, and never over a key that is already there.
	if err := disk.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	if err := syncFolder(path); err != nil {
		return nil, err
	}
	return Load(path)
}

// A key is written under a name that begins so before it has its own. One that is older than
// abandoned was left there: its process died, or the disk did not let it be removed.
const (
	temporary = ".master-"
	abandoned = time.Minute
)

// sweep removes keys that were left in a folder under such names. What cannot be removed
// stays for the next time.
func sweep(folder string) {
	list, _ := os.ReadDir(folder) // it is made later, or cannot be read either
	for _, entry := range list {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), temporary) && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			_ = disk.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// Replace puts the key kept at next in the place of the one at path. Either one or
// the other is there, also after a power cut.
func Replace(next, path string) error {
	sweep(filepath.Dir(path))
	if err := disk.Rename(next, path); err != nil {
		return fmt.Errorf("replace master key: %w", err)
	}
	return syncFolder(path)
}

// syncFolder has the disk keep the names in the folder of a file.
func syncFolder(path string) error {
	if err := disk.SyncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("keep master key: %w", err)
	}
	return nil
}

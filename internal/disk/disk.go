// Package disk is how files are written that must survive: what it says is done is on
// the disk, and not only in the system's memory. Under the build tag faulty every write
// goes through a layer that notes it and can fail, for the tests of power cuts and of
// disks that are full or broken; the program that ships has none of that. It must not
// know what is in a file.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Boot names the run of this machine: what was written in the same one is there, synced or not.
// It is "" where the system does not tell.
func Boot() string {
	name, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// WriteFile puts data in the place of what the file at path held. After a power cut
// either one or the other is there.
func WriteFile(path string, data []byte) error {
	next := path + ".new"
	f, err := OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(next, path)
	}
	if err != nil {
		_ = Remove(next)
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// MakeFolders makes a folder and those above it that are missing, for the owner alone.
func MakeFolders(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MakeFolders(above); err != nil {
			return err
		}
	}
	if err := mkdir(path, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // another process was quicker
		}
		return err
	}
	return SyncFolder(above)
}

// SyncFolder has the disk keep the names that are in a folder.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := openFolder(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}

package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Written is what came of a setting.
type Written struct {
	File   string
	Backup string // of what was there before; "": nothing was
	Same   bool   // it was there already
}

// Write adds a setting to the file that is its place, and keeps a copy of what was there.
// Either all of the new file is there afterwards or the old one is.
func Write(place string, s Setting, now time.Time) (Written, error) {
	w := Written{File: place}
	if at, err := filepath.EvalSymlinks(w.File); err == nil {
		w.File = at // a link to where people keep their settings stays one
	} else if to, err := os.Readlink(w.File); err == nil { // also where nothing is there yet
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(w.File), to)
		}
		w.File = to
	}
	have, err := os.ReadFile(w.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w, err
	}
	mode, locked := fs.FileMode(0o600), false // it has a key in it, which is its owner's alone
	if info, err := os.Stat(w.File); err == nil {
		mode, locked = info.Mode().Perm()&^0o077, info.Mode().Perm()&0o200 == 0
	}
	next, err := merge(s.Form, string(have), s.Text)
	if err != nil {
		return w, fmt.Errorf("%s: %w", w.File, err)
	}
	if next == string(have) {
		w.Same = true
		return w, nil
	}
	if locked { // its owner, or the program that made it, does not want it changed
		return w, fmt.Errorf("%s: it is read-only, so %w", w.File, ErrByHand)
	}
	if err := os.MkdirAll(filepath.Dir(w.File), 0o700); err != nil {
		return w, err
	}
	if len(have) > 0 {
		if w.Backup, err = backUp(w.File+".before-stele-"+now.UTC().Format("20060102-150405"), have, mode); err != nil {
			return w, err
		}
	}
	return w, replace(w.File, next, mode)
}

// backUp writes a copy under a name, or where there is one already under the next.
func backUp(name string, text []byte, mode fs.FileMode) (string, error) {
	for n := 1; ; n++ {
		file := name
		if n > 1 {
			file = fmt.Sprintf("%s-%d", name, n)
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return file, errors.Join(err, f.Close())
	}
}

func replace(file, text string, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".stele-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

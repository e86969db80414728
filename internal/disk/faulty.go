//go:build faulty

package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File is an open file whose changes are noted and may fail.
type File struct{ *os.File }

// Root is a folder that no name leads out of, with files of such kind.
type Root struct{ *os.Root }

// OpenFile opens a file.
func OpenFile(name string, flag int, mode fs.FileMode) (*File, error) {
	return open(absolute(name), flag, func() (*os.File, error) { return os.OpenFile(name, flag, mode) })
}

// CreateTemp makes a file with a name of its own.
func CreateTemp(folder, pattern string) (*File, error) {
	if err := fail(making, folder); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	note(entry{Op: "create", Path: absolute(f.Name()), File: number(f)}, nil)
	return &File{f}, nil
}

// OpenRoot opens a folder.
func OpenRoot(name string) (*Root, error) {
	r, err := os.OpenRoot(absolute(name))
	return &Root{r}, err
}

// mkdir makes a folder.
func mkdir(name string, mode fs.FileMode) error {
	return change(making, entry{Op: "mkdir", Path: absolute(name)}, func() error { return os.Mkdir(name, mode) })
}

// Rename gives a file another name.
func Rename(from, to string) error {
	return change(making, entry{Op: "rename", Path: absolute(from), To: absolute(to)}, func() error { return os.Rename(from, to) })
}

// Link gives a file a second name.
func Link(from, to string) error {
	return change(making, entry{Op: "link", Path: absolute(from), To: absolute(to)}, func() error { return os.Link(from, to) })
}

// Remove takes a name away.
func Remove(name string) error {
	return change(keeping, entry{Op: "remove", Path: absolute(name)}, func() error { return os.Remove(name) })
}

// OpenFile opens a file of the folder.
func (r *Root) OpenFile(name string, flag int, mode fs.FileMode) (*File, error) {
	return open(r.path(name), flag, func() (*os.File, error) { return r.Root.OpenFile(name, flag, mode) })
}

// Open opens a file or folder of the folder to read it.
func (r *Root) Open(name string) (*File, error) {
	f, err := r.Root.Open(name)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Mkdir makes a folder in the folder.
func (r *Root) Mkdir(name string, mode fs.FileMode) error {
	return change(making, entry{Op: "mkdir", Path: r.path(name)}, func() error { return r.Root.Mkdir(name, mode) })
}

// Rename gives a file of the folder another name in it.
func (r *Root) Rename(from, to string) error {
	return change(making, entry{Op: "rename", Path: r.path(from), To: r.path(to)}, func() error { return r.Root.Rename(from, to) })
}

// Remove takes a name in the folder away.
func (r *Root) Remove(name string) error {
	return change(keeping, entry{Op: "remove", Path: r.path(name)}, func() error { return r.Root.Remove(name) })
}

func (r *Root) path(name string) string { return filepath.Join(r.Name(), filepath.FromSlash(name)) }

// Write writes at the end, or where the last write ended. One that fails for want of
// room has written half.
func (f *File) Write(b []byte) (int, error) {
	at, err := f.Seek(0, 1)
	if err == nil && f.appends() {
		at, err = f.Seek(0, 2)
	}
	if err != nil {
		return 0, err
	}
	return f.put(b, at, f.File.Write)
}

// ReadFrom writes what r gives, piece by piece: copying is not to go past Write.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return copyPieces(f, r) }

// WriteString writes a text.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt writes at a place.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	return f.put(b, at, func(b []byte) (int, error) { return f.File.WriteAt(b, at) })
}

func (f *File) put(b []byte, at int64, write func([]byte) (int, error)) (int, error) {
	failed := fail(making, f.Name())
	if failed != nil {
		b = b[:len(b)/2]
	}
	n, err := write(b)
	note(entry{Op: "write", File: number(f.File), At: at, Size: n}, b[:n])
	if failed != nil {
		return n, failed
	}
	return n, err
}

// Truncate cuts the file off.
func (f *File) Truncate(size int64) error {
	return change(keeping, entry{Op: "truncate", File: number(f.File), At: size}, func() error { return f.File.Truncate(size) })
}

// Sync has the disk keep what was written, of a folder its names.
func (f *File) Sync() error {
	e := entry{Op: "sync", File: number(f.File), Upto: position()}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		e.Op, e.Path = "syncdir", absolute(f.Name())
	}
	return change(keeping, e, f.File.Sync)
}

func (f *File) appends() bool {
	flags, _, err := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	return err == 0 && int(flags)&os.O_APPEND != 0
}

func open(path string, flag int, do func() (*os.File, error)) (*File, error) {
	_, missing := os.Lstat(path)
	if missing != nil && flag&os.O_CREATE != 0 {
		if err := fail(making, path); err != nil {
			return nil, err
		}
	}
	f, err := do()
	if err != nil {
		return nil, err
	}
	switch {
	case missing != nil:
		note(entry{Op: "create", Path: path, File: number(f)}, nil)
	case flag&os.O_TRUNC != 0:
		note(entry{Op: "truncate", File: number(f)}, nil)
	}
	return &File{f}, nil
}

func openFolder(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// change does what changes the disk, unless it is to fail.
func change(k kind, e entry, do func() error) error {
	if err := fail(k, e.Path); err != nil {
		return err
	}
	err := do()
	if err == nil {
		note(e, nil)
	}
	return err
}

func absolute(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return whole
}

// number is what tells a file from others, whatever its name.
func number(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// Package spool keeps bytes on the disk until they are fetched, where several large
// ones take no memory. It must not know what they are.
package spool

import (
	"io"
	"os"

	"stele/internal/disk"
	"stele/internal/fault"
)

// mostHeld is how much of a file is kept in memory where the disk takes no more. What a
// provider was paid for seldom is larger.
const mostHeld = 32 << 20 // bytes

// File is a file without a name, so that it is gone with its holder: it is closed when
// nothing can be read from it any more. It is written first and read then. What a disk
// that is full or errs does not take is kept in memory: it may be paid for, and cannot be
// made again without paying again.
type File struct {
	file   *disk.File
	broken error  // why the disk takes no more; nil: it does
	onDisk int64  // bytes
	rest   []byte // what follows them
}

// New makes an empty file.
func New() *File {
	f := new(File)
	if f.file, f.broken = disk.CreateTemp("", "stele-made-"); f.broken == nil {
		_ = os.Remove(f.file.Name()) // where an open file cannot be removed, the system's own sweep finds it
	}
	return f
}

// Write appends.
func (f *File) Write(p []byte) (n int, err error) {
	if f.broken == nil {
		n, f.broken = f.file.Write(p)
		f.onDisk += int64(n)
	}
	if f.broken == nil {
		return n, nil
	}
	if len(f.rest)+len(p)-n > mostHeld {
		return n, fault.NewAway(f.broken)
	}
	f.rest = append(f.rest, p[n:]...)
	return len(p), nil
}

// Size is how many bytes were written.
func (f *File) Size() int64 { return f.onDisk + int64(len(f.rest)) }

// Section reads the bytes from one place to another. Several may read at once.
func (f *File) Section(from, to int64) io.Reader {
	return io.NewSectionReader((*both)(f), from, to-from)
}

// both is what is on the disk, followed by what is not.
type both File

// ReadAt reads what is at a place.
func (f *both) ReadAt(b []byte, at int64) (n int, err error) {
	if at < f.onDisk {
		if n, err = f.file.ReadAt(b[:min(int64(len(b)), f.onDisk-at)], at); err != nil {
			return n, fault.OfDisk(err)
		}
	}
	if left := at + int64(n) - f.onDisk; n < len(b) && left < int64(len(f.rest)) {
		n += copy(b[n:], f.rest[left:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

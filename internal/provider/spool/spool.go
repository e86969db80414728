// Package spool keeps bytes on the disk until they are fetched, where several large
// ones take no memory. It must not know what they are.
package spool

import (
	"fmt"
	"io"
	"os"
)

// File is a file without a name, so that it is gone with its holder: it is closed when
// nothing can be read from it any more. It is written first and read then.
type File struct {
	file *os.File
	size int64
}

// New makes an empty file.
func New() (*File, error) {
	f, err := os.CreateTemp("", "stele-made-")
	if err != nil {
		return nil, fmt.Errorf("keep what was made: %w", err)
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, the system's own sweep finds it
	return &File{file: f}, nil
}

// Write appends.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

// Size is how many bytes were written.
func (f *File) Size() int64 { return f.size }

// Section reads the bytes from one place to another. Several may read at once.
func (f *File) Section(from, to int64) io.Reader { return io.NewSectionReader(f.file, from, to-from) }

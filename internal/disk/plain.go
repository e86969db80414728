//go:build !faulty

package disk

import (
	"io/fs"
	"os"
)

// File is an open file.
type File = os.File

// Root is a folder that no name leads out of.
type Root = os.Root

// OpenFile opens a file.
func OpenFile(name string, flag int, mode fs.FileMode) (*File, error) {
	return os.OpenFile(name, flag, mode)
}

// CreateTemp makes a file with a name of its own.
func CreateTemp(folder, pattern string) (*File, error) { return os.CreateTemp(folder, pattern) }

// OpenRoot opens a folder.
func OpenRoot(name string) (*Root, error) { return os.OpenRoot(name) }

// mkdir makes a folder.
func mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }

// Rename gives a file another name.
func Rename(from, to string) error { return os.Rename(from, to) }

// Link gives a file a second name.
func Link(from, to string) error { return os.Link(from, to) }

// Remove takes a name away.
func Remove(name string) error { return os.Remove(name) }

// SQLite is what the address of a SQLite database ends with.
func SQLite() string { return "" }

func openFolder(path string) (*File, error) { return os.Open(path) }

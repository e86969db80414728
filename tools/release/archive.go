package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// entry is a file or a folder of an archive.
type entry struct {
	name   string // with slashes; a folder's ends with one
	source string // the file to copy; "": content
	text   []byte
	mode   int64
	owner  int
}

// archive packs a binary with what a person wants beside it.
func (r *release) archive(p platform) error {
	top := r.name(p)
	entries := []entry{
		{name: top + "/", mode: 0o755},
		{name: path.Join(top, filepath.Base(r.binary(p))), source: r.binary(p), mode: 0o755},
		{name: path.Join(top, "LICENSES.txt"), source: r.licences(p), mode: 0o644},
		{name: path.Join(top, "stele.example.yaml"), source: r.path("docs", "operate", "stele.example.yaml"), mode: 0o644},
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		entries = append(entries, entry{name: path.Join(top, name), source: r.path(name), mode: 0o644})
	}
	if p.os == "windows" {
		return write(filepath.Join(r.out, top+".zip"), func(w io.Writer) error { return writeZip(w, entries, r.stamp) })
	}
	return write(filepath.Join(r.out, top+".tar.gz"), func(w io.Writer) error {
		packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(packed, entries, r.stamp), packed.Close())
	})
}

// write makes a file of what do writes.
func write(name string, do func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// writeTar writes entries in their order, all of one time.
func writeTar(w io.Writer, entries []entry, stamp time.Time) error {
	out := tar.NewWriter(w)
	for _, e := range entries {
		body, err := e.bytes()
		if err != nil {
			return err
		}
		header := &tar.Header{
			Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, ModTime: stamp, Size: int64(len(body)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if e.folder() {
			header.Typeflag = tar.TypeDir
		}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(body); err != nil {
			return err
		}
	}
	return out.Close()
}

func writeZip(w io.Writer, entries []entry, stamp time.Time) error {
	out := zip.NewWriter(w)
	for _, e := range entries {
		body, err := e.bytes()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: e.name, Modified: stamp, Method: zip.Deflate}
		header.SetMode(os.FileMode(e.mode)) //nolint:gosec // modes of ours
		if e.folder() {
			header.Method = zip.Store
			header.SetMode(os.ModeDir | os.FileMode(e.mode)) //nolint:gosec // modes of ours
		}
		f, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(body); err != nil {
			return err
		}
	}
	return out.Close()
}

func (e entry) folder() bool { return e.name[len(e.name)-1] == '/' }

func (e entry) bytes() ([]byte, error) {
	if e.source == "" {
		return e.text, nil
	}
	return os.ReadFile(e.source)
}

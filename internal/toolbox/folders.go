package toolbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folders are those that files are read from and saved in. Each is opened as a
// root: no path and no link leads out of it.
type folders struct {
	read []folder // what was made is among it
	out  folder
}

// folder is one, by its own name and by the one that links lead to.
type folder struct {
	path, real string
	root       *os.Root
}

// openFolders opens the folders to read from, and makes the one to save in if it is not there:
// an agent's own program does not tell its user why a server of tools did not start.
func openFolders(roots []string, out string) (*folders, error) {
	p := new(folders)
	err := os.MkdirAll(out, 0o755)
	if err != nil {
		return nil, err
	}
	if p.out, err = openFolder(out); err != nil {
		return nil, err
	}
	for _, path := range roots {
		one, err := openFolder(path)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.read = append(p.read, one)
	}
	p.read = append(p.read, p.out)
	return p, nil
}

func openFolder(path string) (folder, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return folder{}, err
	}
	real, err := filepath.EvalSymlinks(whole)
	if err != nil {
		return folder{}, err
	}
	root, err := os.OpenRoot(real)
	return folder{whole, real, root}, err
}

func (p *folders) close() error {
	errs := []error{p.out.root.Close()}
	for _, one := range p.read {
		if one.root != p.out.root {
			errs = append(errs, one.root.Close())
		}
	}
	return errors.Join(errs...)
}

// file is a local file that an agent named.
type file struct {
	root *os.Root
	name string // within root
}

// find looks a file up that an agent named. A relative path begins at the first folder.
func (p *folders) find(name string) (file, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.read[0].path, name)
	}
	for _, at := range p.read {
		inner, ok := at.inner(name)
		if !ok {
			continue
		}
		info, err := at.root.Stat(inner)
		if err != nil {
			return file{}, fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
		}
		if !info.Mode().IsRegular() {
			return file{}, fmt.Errorf("%s is not a file", name)
		}
		return file{at.root, inner}, nil
	}
	return file{}, fmt.Errorf("%s is outside of the folders that may be read: %s", name, p.list())
}

func (f file) open() (io.ReadCloser, error) { return f.root.Open(f.name) }

// list names where files may be read, for people.
func (p *folders) list() string {
	var list []string
	for _, at := range p.read {
		if !slices.Contains(list, at.path) {
			list = append(list, at.path)
		}
	}
	return strings.Join(list, ", ")
}

// inner is a path as it is called within the folder.
func (at folder) inner(path string) (string, bool) {
	for _, folder := range []string{at.path, at.real} {
		path := path
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		inner, err := filepath.Rel(folder, path)
		if err == nil && filepath.IsLocal(inner) {
			return inner, true
		}
	}
	return "", false
}

// placeOf is where an agent wants something saved: under a name of its own where it has said
// nothing or a folder, which ends in a slash or is there already.
func (p *folders) placeOf(saveAs, name string) string {
	inner, ok := p.out.inner(saveAs)
	if info, err := p.out.root.Stat(inner); ok && err == nil && info.IsDir() || strings.HasSuffix(filepath.ToSlash(saveAs), "/") {
		return filepath.Join(saveAs, name)
	}
	return saveAs
}

// create makes a new file of a name in the output folder, with a number where there is
// one already, and gives its whole path.
func (p *folders) create(name string) (*os.File, string, error) {
	inner, ok := p.out.inner(name)
	if !ok || inner == "." {
		return nil, "", fmt.Errorf("%s is outside of the output folder %s", name, p.out.path)
	}
	if err := p.out.root.MkdirAll(filepath.Dir(inner), 0o755); err != nil {
		return nil, "", fmt.Errorf("make the folder of %s: %w", name, reasonOf(err))
	}
	end := filepath.Ext(inner)
	base := strings.TrimSuffix(inner, end)
	for n := 1; n <= mostAlike; n++ {
		if n > 1 {
			inner = fmt.Sprintf("%s-%d%s", base, n, end)
		}
		f, err := p.out.root.OpenFile(inner, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("save %s: %w", name, reasonOf(err))
		}
		return f, filepath.Join(p.out.path, inner), nil
	}
	return nil, "", fmt.Errorf("there are %d files called like %s already", mostAlike, name)
}

// mostAlike bounds how many files of a name are looked at.
const mostAlike = 1000

// remove takes away a file that create made and that could not be filled.
func (p *folders) remove(path string) {
	if inner, ok := p.out.inner(path); ok {
		_ = p.out.root.Remove(inner)
	}
}

// reasonOf is why the system refused, without the path, which the caller says.
func reasonOf(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

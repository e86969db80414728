package disk

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// entry is a change of the disk, as the program notes it.
type entry struct {
	Op         string
	Path, To   string
	File       uint64
	At, Upto   int64
	Size       int
	begin, end int64 // where the trace has it
	bytes      []byte
}

// readTrace reads all that was noted.
func readTrace(t *testing.T, name string) []entry {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []entry
	r, at := bufio.NewReader(f), int64(0)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return list
		}
		e := entry{begin: at}
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err == nil && e.Op == "write" {
			e.bytes = make([]byte, e.Size)
			_, err = io.ReadFull(r, e.bytes)
		}
		if err != nil {
			t.Fatalf("the trace at %d: %v", at, err)
		}
		at += int64(len(line) + len(e.bytes))
		e.end = at
		list = append(list, e)
	}
}

// platter is a disk: what it keeps for sure, and what it was told since. As strict as the
// standard allows: a file that was synced may still lack its name, and what was not
// synced may be there in any part.
type platter struct {
	files map[uint64]*kept
	names map[string]*folder
}

// kept is a file.
type kept struct {
	synced  []byte
	pending []entry // writes and cuts since
}

// folder is what a folder leads to, by name. A name of a folder leads to nil.
type folder struct {
	synced  map[string]*kept
	pending []naming
}

type naming struct {
	at   int64
	name string
	file *kept
	gone bool
}

func newPlatter() *platter {
	return &platter{files: make(map[uint64]*kept), names: make(map[string]*folder)}
}

func (p *platter) folder(path string) *folder {
	f := p.names[path]
	if f == nil {
		f = &folder{synced: make(map[string]*kept)}
		p.names[path] = f
	}
	return f
}

func (p *platter) call(at int64, path string, file *kept, gone bool) {
	f := p.folder(filepath.Dir(path))
	f.pending = append(f.pending, naming{at, filepath.Base(path), file, gone})
}

// now is what a name leads to, synced or not.
func (p *platter) now(path string) *kept {
	f, name := p.folder(filepath.Dir(path)), filepath.Base(path)
	for _, n := range slices.Backward(f.pending) {
		if n.name == name {
			return n.file
		}
	}
	return f.synced[name]
}

// take does what an entry says.
func (p *platter) take(e *entry) {
	switch e.Op {
	case "create":
		p.files[e.File] = &kept{}
		p.call(e.begin, e.Path, p.files[e.File], false)
	case "mkdir":
		p.call(e.begin, e.Path, nil, false)
	case "rename":
		file := p.now(e.Path)
		p.call(e.begin, e.To, file, false)
		p.call(e.begin, e.Path, nil, true)
	case "link":
		p.call(e.begin, e.To, p.now(e.Path), false)
	case "remove":
		p.call(e.begin, e.Path, nil, true)
	case "write", "truncate":
		if f := p.files[e.File]; f != nil { // what was there before the trace is not asked for
			f.pending = append(f.pending, *e)
		}
	case "sync":
		if f := p.files[e.File]; f != nil {
			f.sync(e.Upto)
		}
	case "syncdir":
		f := p.folder(e.Path)
		n := 0
		for n < len(f.pending) && f.pending[n].at < e.Upto {
			n++
		}
		f.apply(f.synced, n)
		f.pending = f.pending[n:]
	}
}

func (f *kept) sync(upto int64) {
	n := 0
	for n < len(f.pending) && f.pending[n].begin < upto {
		f.synced = change(f.synced, &f.pending[n])
		n++
	}
	f.pending = f.pending[n:]
}

func (f *folder) apply(to map[string]*kept, n int) {
	for _, change := range f.pending[:n] {
		if change.gone {
			delete(to, change.name)
		} else {
			to[change.name] = change.file
		}
	}
}

func change(b []byte, e *entry) []byte {
	if e.Op == "truncate" {
		if e.At <= int64(len(b)) {
			return b[:e.At]
		}
		return append(b, make([]byte, e.At-int64(len(b)))...)
	}
	if grow := e.At + int64(len(e.bytes)) - int64(len(b)); grow > 0 {
		b = append(b, make([]byte, grow)...)
	}
	copy(b[e.At:], e.bytes)
	return b
}

// mood is what becomes of what was not synced.
type mood int

const (
	nothing   mood = iota // none of it is there
	all                   // all of it is
	some                  // a beginning of it, the last write torn
	scattered             // any of its sectors
	moods
)

// write makes the folder from as it is after the power was cut, at to.
func (p *platter) write(t *testing.T, from, to string, m mood) {
	t.Helper()
	f := p.names[from]
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if f == nil {
		return
	}
	names, n := maps.Clone(f.synced), 0
	switch m {
	case all:
		n = len(f.pending)
	case some, scattered:
		n = rand.N(len(f.pending) + 1)
	}
	f.apply(names, n)
	for name, file := range names {
		path := filepath.Join(to, name)
		if file == nil {
			p.write(t, filepath.Join(from, name), path, m)
			continue
		}
		if err := os.WriteFile(path, file.after(m), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const sector = 512

// after is what of a file is there.
func (f *kept) after(m mood) []byte {
	b := slices.Clone(f.synced)
	n := len(f.pending)
	switch m {
	case nothing:
		return b
	case some:
		n = rand.N(n + 1)
	}
	for i := range f.pending[:n] {
		e := f.pending[i]
		switch {
		case m == scattered && e.Op == "truncate":
			if rand.N(2) == 0 {
				b = change(b, &e)
			}
		case m == scattered:
			b = sectors(b, &e)
		case m == some && i == n-1 && e.Op == "write":
			e.bytes = e.bytes[:rand.N(len(e.bytes)+1)]
			b = change(b, &e)
		default:
			b = change(b, &e)
		}
	}
	return b
}

// sectors makes some of the sectors of a write.
func sectors(b []byte, e *entry) []byte {
	for done := int64(0); done < int64(len(e.bytes)); {
		size := min(sector-(e.At+done)%sector, int64(len(e.bytes))-done)
		if rand.N(2) == 0 {
			b = change(b, &entry{At: e.At + done, bytes: e.bytes[done : done+size]})
		}
		done += size
	}
	return b
}

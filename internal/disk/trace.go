//go:build faulty

package disk

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
)

// entry is one change of the disk, as the trace has it: a line of JSON, and the bytes of
// a write behind it. Files are told by their number, so that a name may lead to another.
type entry struct {
	Op   string `json:"op"` // create, mkdir, write, truncate, sync, syncdir, rename, link, remove
	Path string `json:"path,omitempty"`
	To   string `json:"to,omitempty"`
	File uint64 `json:"file,omitempty"`
	At   int64  `json:"at,omitempty"`   // of a write; of truncate, the new size
	Size int    `json:"size,omitempty"` // of a write
	Upto int64  `json:"upto,omitempty"` // of a sync: where the trace was when it began
}

// kind is what a change needs of a disk.
type kind int

const (
	making  kind = iota // room
	keeping             // nothing but a disk that works
)

// layer is what this process notes and which of its changes fail, by STELE_DISK_TRACE
// and STELE_DISK_FAULTS, which name files.
type layer struct {
	trace  *os.File // nil: nothing is noted
	faults string   // "": nothing fails

	mu    sync.Mutex // guards all below
	order string     // what the file of faults said last
	count int        // changes since then
}

var under = sync.OnceValue(func() *layer {
	l := &layer{faults: os.Getenv("STELE_DISK_FAULTS")}
	if name := os.Getenv("STELE_DISK_TRACE"); name != "" {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
		if err != nil {
			panic(err)
		}
		l.trace = f
	}
	return l
})

// note writes a change into the trace: one write, so that those of several processes
// do not mix.
func note(e entry, bytes []byte) {
	l := under()
	if l.trace == nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = l.trace.Write(append(append(line, '\n'), bytes...))
	}
	if err != nil {
		panic(err)
	}
}

// position is where the trace is now.
func position() int64 {
	l := under()
	if l.trace == nil {
		return 0
	}
	info, err := l.trace.Stat()
	if err != nil {
		panic(err)
	}
	return info.Size()
}

// fail says whether a change is to fail. The file of faults says "full FROM TO", "late FROM TO" or
// "broken FROM TO": of the changes from now on those from one number to before another
// fail, as on a disk without room, on one that says so no earlier than with a sync, or on one that errs.
func fail(k kind, path string) error {
	l := under()
	if l.faults == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text, _ := os.ReadFile(l.faults) // missing: nothing fails
	if order := strings.TrimSpace(string(text)); order != l.order {
		l.order, l.count = order, 0
	}
	var how string
	var from, to int
	if n, _ := fmt.Sscan(l.order, &how, &from, &to); n != 3 || (how == "full" && k != making) {
		return nil
	}
	l.count++
	if l.count < from || l.count >= to {
		return nil
	}
	if how != "broken" {
		return &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	return &os.PathError{Op: "write", Path: path, Err: syscall.EIO}
}

// copyPieces copies with Write alone.
func copyPieces(to *File, from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{to}, from)
}

// Package inflight writes down on disk which tasks this process is working on, so that
// the next process knows during which of them the last one died. It costs two small
// writes a piece, into the system's memory: they outlive the process, however it ends,
// and need not outlive the machine. Chats that are about to be sent are noted in the same
// way. It must not know how a task is worked on, nor what is said in a chat.
package inflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"stele/internal/disk"
	"stele/internal/fair"
	"stele/internal/pause"
)

const (
	slot     = 64 // bytes for an id on disk
	together = 8  // tasks at a time during which a process died once
	quiet    = 5 * time.Second
)

// Registry is what this process is working on. A nil one records nothing. It is safe for
// concurrent use.
type Registry struct {
	opened   time.Time
	suspects *fair.Semaphore

	mu    sync.Mutex // guards all below
	file  *disk.File
	slots int
	free  []int
	tasks map[string]*task
}

// task is a task that is being worked on.
type task struct {
	slot int
	n    int   // how often it was begun and not ended
	held int64 // of suspects
}

// ReadLeft reads the ids of what a process was working on when it died, of which the file at
// path is the registry. One that ended in order leaves none.
func ReadLeft(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was worked on: %w", err)
	}
	var ids []string
	for piece := range slices.Chunk(raw, slot) {
		if id := string(bytes.TrimRight(piece, "\x00")); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Open begins a new registry. What was left in the file is gone.
func Open(path string) (*Registry, error) {
	file, err := disk.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record what is worked on: %w", err)
	}
	return &Registry{opened: time.Now(), suspects: fair.New(together, together), file: file, tasks: make(map[string]*task)}, nil
}

// Close says that the process ends in order: it died during nothing.
func (r *Registry) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := errors.Join(r.file.Truncate(0), r.file.Close())
	r.file = nil
	return err
}

// Begin writes down that a task is being worked on until end is called. One during
// which processes died is a suspect: it waits until this process has lived for a while,
// and then there are few others of its kind beside it, or none where it was deaths
// before. The same task may be begun twice.
func (r *Registry) Begin(ctx context.Context, id string, deaths int) (end func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	if r.join(id) {
		return r.ender(id), nil
	}
	held, err := r.wait(ctx, deaths)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.tasks[id]; m != nil { // begun in the meantime
		m.n++
		r.release(held)
		return r.ender(id), nil
	}
	r.put(id, held)
	return r.ender(id), nil
}

// Put writes an id down until Strike takes it off. It waits for nothing, unlike Begin.
func (r *Registry) Put(id string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(id, 0)
}

// Strike takes off an id that was put down. After an error it may still be there when the
// process dies.
func (r *Registry) Strike(id string) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.strike(id)
}

// put and strike are for those who hold mu.
func (r *Registry) put(id string, held int64) {
	m := &task{n: 1, held: held, slot: r.slots}
	if n := len(r.free); n > 0 {
		m.slot, r.free = r.free[n-1], r.free[:n-1]
	} else {
		r.slots++
	}
	r.tasks[id] = m
	_ = r.write(m.slot, id) // what cannot be written blames no workspace
}

func (r *Registry) strike(id string) error {
	m := r.tasks[id]
	delete(r.tasks, id)
	err := r.write(m.slot, "")
	r.free = append(r.free, m.slot)
	r.release(m.held)
	return err
}

func (r *Registry) join(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.tasks[id]
	if m != nil {
		m.n++
	}
	return m != nil
}

// wait waits for the turn of a suspect. held is what it takes of suspects.
func (r *Registry) wait(ctx context.Context, deaths int) (held int64, err error) {
	if deaths <= 0 {
		return 0, nil
	}
	if err := pause.For(ctx, time.Until(r.opened.Add(quiet))); err != nil {
		return 0, err
	}
	held = 1
	if deaths > 1 {
		held = together
	}
	return held, r.suspects.Acquire(ctx, "", held)
}

func (r *Registry) ender(id string) func() {
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		m := r.tasks[id]
		if m.n--; m.n > 0 {
			return
		}
		_ = r.strike(id)
	})
}

func (r *Registry) release(held int64) {
	if held > 0 {
		r.suspects.Release("", held)
	}
}

// write fills a slot.
func (r *Registry) write(at int, id string) error {
	if r.file == nil {
		return nil
	}
	var b [slot]byte
	copy(b[:], id)
	_, err := r.file.WriteAt(b[:], int64(at)*slot)
	return err
}

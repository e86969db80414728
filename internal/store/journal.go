package store

import (
	"bufio"
	"context"
	"encoding/json" // keeps durations as numbers, which the newer package does not
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stele/internal/disk"
	"stele/internal/meter"
	"stele/internal/uid"
)

const (
	journalEvery = 500 * time.Millisecond // how late a row may be in the database
	journalBatch = 2000                   // records in one transaction
)

// Journal takes records at the speed of a file, so that no request waits for
// the database or for the disk, and carries them over in batches. What was taken
// survives the death of the process, and soon after a power cut: whatever is left is
// carried over at the next start.
//
// A record that the database refuses never keeps the others from being saved: it is
// set aside in a file beside the journal, with the reason. Records that the disk does
// not take wait in memory until the disk or the database does.
type Journal struct {
	// OnRefused is told of each record that is set aside. It is set before Run.
	OnRefused func(Refused)

	store  *Store
	folder string
	owner  string // of the folder, for leases of limits

	flushing sync.Mutex    // one at a time
	syncing  sync.Mutex    // held while a page is synced or closed
	written  chan struct{} // has something when there is something to sync
	kept     chan struct{} // has something when there is something to carry over

	mu      sync.Mutex     // guards what follows
	page    *page          // nil until the first record
	waiting []meter.Record // in no file: the disk took none of them
	spare   []meter.Record // empty: the memory of what was kept before
	line    []byte         // where a record is written before it goes into a file

	behind, carried Lag // what was kept since the last flush began, and what that one has to save
}

// OpenJournal opens the journal in a folder, which must belong to this process alone.
func OpenJournal(s *Store, folder string) (*Journal, error) {
	if err := disk.MakeFolders(folder); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	owner, err := folderOwner(folder)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Journal{store: s, folder: folder, owner: owner, written: make(chan struct{}, 1), kept: make(chan struct{}, 1)}, nil
}

// Owner is the name of the folder, the same after a restart: what its records took of
// limits was on lease to it.
func (j *Journal) Owner() string { return j.owner }

func folderOwner(folder string) (string, error) {
	path := folder + ".owner" // beside it: what is in the folder is records
	name, err := os.ReadFile(path)
	if err == nil && len(name) > 0 {
		return string(name), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fresh := uid.New("node")
	return fresh, disk.WriteFile(path, []byte(fresh))
}

// Keep appends a record. When it returns the record survives the process, and a power
// cut some milliseconds later; where the disk takes nothing it is in memory only. An
// error says that it is lost.
func (j *Journal) Keep(r *meter.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(r); err != nil {
		if len(j.waiting) >= 2*mostWaiting {
			return fmt.Errorf("write journal: %w", err)
		}
		j.waiting = append(j.waiting, *r)
		tidy(&j.waiting[len(j.waiting)-1])
	}
	j.behind.add()
	tell(j.kept)
	return nil
}

// tell has a goroutine look that may be looking already.
func tell(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

func (j *Journal) write(r *meter.Record) (err error) {
	if j.page == nil {
		if j.page, err = newPage(j.folder, j.spare); err != nil {
			return err
		}
		j.spare = nil
	}
	p := j.page
	p.kept = append(p.kept, *r)
	kept := &p.kept[len(p.kept)-1]
	tidy(kept)
	j.line = appendLine(j.line[:0], kept)
	if err := p.write(j.line); err != nil {
		p.kept = p.kept[:len(p.kept)-1]
		return err
	}
	if !p.dirty {
		p.dirty = true
		tell(j.written)
	}
	return nil
}

// Run carries records over until ctx ends, and what is left then once more. It begins with
// what an earlier process left; then it does nothing while nothing is kept.
func (j *Journal) Run(ctx context.Context, log *slog.Logger) {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { j.runSync(ctx, log) })
	due := time.NewTimer(journalEvery)
	defer due.Stop()
	var kept <-chan struct{} // nil while a flush is due
	failing := false
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			if err := j.Flush(last); err != nil {
				log.LogAttrs(last, slog.LevelWarn, "usage stays in the journal until the next start", slog.Any("error", err))
			}
			return
		case <-kept:
			kept = nil
			due.Reset(journalEvery)
		case <-due.C:
			err := j.Flush(ctx)
			if err != nil && !failing && ctx.Err() == nil {
				log.LogAttrs(ctx, slog.LevelError, "usage cannot be saved: it waits in the journal", slog.Any("error", err))
			}
			if failing = err != nil; failing {
				due.Reset(journalEvery)
			} else {
				kept = j.kept
			}
		}
	}
}

// Flush carries over everything that was kept until now.
func (j *Journal) Flush(ctx context.Context) error {
	j.flushing.Lock()
	defer j.flushing.Unlock()
	j.flushBegins()
	if err := j.flush(ctx); err != nil {
		return err
	}
	j.flushEnded()
	return nil
}

func (j *Journal) flush(ctx context.Context) error {
	if p := j.endPage(); p != nil {
		if err := j.save(ctx, p.kept); err != nil {
			j.doubt(p)
			return err // the file stays and is read again next time
		}
		j.reuse(p.kept)
		if err := disk.Remove(p.file.Name()); err != nil {
			return fmt.Errorf("remove journal: %w", err)
		}
	}
	if err := j.saveWaiting(ctx); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(j.folder, "usage_*.jsonl"))
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		if j.current(name) {
			continue
		}
		if err := j.carry(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// reuse keeps the memory of saved records for the next ones. A flood's is let go.
func (j *Journal) reuse(saved []meter.Record) {
	if cap(saved) > 4*journalBatch {
		return
	}
	clear(saved)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.spare = saved[:0]
}

func (j *Journal) save(ctx context.Context, records []meter.Record) error {
	for batch := range slices.Chunk(records, journalBatch) {
		err := saveApart(batch, func(some []meter.Record) error { return j.store.insertRecordsOf(ctx, j.owner, some) },
			func(one meter.Record, why error) error { return j.refuse(&one, why) })
		if err != nil {
			return err
		}
	}
	return nil
}

// current reports whether a file is being written to.
func (j *Journal) current(name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.page != nil && j.page.file.Name() == name
}

// carry saves a file's records and removes it. Half a line at the end is what
// the death of a process leaves: its request never got its answer.
func (j *Journal) carry(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 64<<10)
	var batch []meter.Record
	for {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			var r meter.Record
			if wrong := json.Unmarshal(line, &r); wrong == nil {
				tidy(&r) // an older version may have written it
				batch = append(batch, r)
			} else if err := j.refuseLine(line, wrong); err != nil {
				return err
			}
		}
		if len(batch) >= journalBatch || (err != nil && len(batch) > 0) {
			if err := j.save(ctx, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
	}
	_ = f.Close() // Windows removes no open file
	if err := disk.Remove(name); err != nil {
		return fmt.Errorf("remove journal: %w", err)
	}
	return nil
}

package store

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"stele/internal/disk"
	"stele/internal/meter"
	"stele/internal/uid"
)

const (
	// syncAfter is how long written records wait for company on their way to the disk.
	// With the time that the disk takes they are there within 50 ms.
	syncAfter = 25 * time.Millisecond

	// mostWaiting is how many records wait in memory at most before no more requests
	// are taken. Those that are being answered have as much again.
	mostWaiting = 20_000
)

// page is a file of the journal that is being written to. All but what a sync needs is
// guarded by the journal's mu.
type page struct {
	file  *disk.File
	kept  []meter.Record // what is in file, so that it need not be read again
	dirty bool           // something was written since the last sync
	torn  bool           // the last write broke off within a line

	named  bool  // the disk knows the file's name; guarded by syncing
	broken error // why the disk may not have all of it; guarded by syncing
}

func newPage(folder string, memory []meter.Record) (*page, error) {
	name := filepath.Join(folder, uid.New("usage")+".jsonl")
	f, err := disk.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &page{file: f, kept: memory}, nil
}

func (p *page) write(line []byte) error {
	if p.torn {
		line = slices.Concat([]byte{'\n'}, line) // what is half there is not gone on with
	}
	n, err := p.file.Write(line)
	p.torn = err != nil && (p.torn || n > 0)
	return err
}

// sync has the disk keep what was written. After a sync that failed none tells whether
// it does: the system may have forgotten what it could not write.
func (p *page) sync() {
	err := p.file.Sync()
	if err == nil && !p.named {
		err = disk.SyncFolder(filepath.Dir(p.file.Name()))
		p.named = err == nil
	}
	if err != nil {
		p.broken = err
	}
}

// Full reports whether so many records wait for the disk that no request is to be begun
// that makes another.
func (j *Journal) Full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.waiting) >= mostWaiting
}

// runSync has the disk keep what was written, many records at a time.
func (j *Journal) runSync(ctx context.Context, log *slog.Logger) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return // the last flush syncs, too
		case <-j.written:
		}
		timer.Reset(syncAfter)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := j.sync()
		if err != nil && !failing {
			log.LogAttrs(ctx, slog.LevelError, "the disk does not keep the journal", slog.Any("error", err))
		}
		failing = err != nil
	}
}

func (j *Journal) sync() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	p := j.page
	due := p != nil && p.dirty
	if due {
		p.dirty = false
	}
	j.mu.Unlock()
	if !due {
		return nil
	}
	p.sync()
	return p.broken
}

// endPage ends the page that is being written to, nil where there is none.
func (j *Journal) endPage() *page {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	p := j.page
	j.page = nil
	j.mu.Unlock()
	if p == nil {
		return nil
	}
	if p.dirty {
		p.sync()
	}
	if err := p.file.Close(); err != nil && p.broken == nil {
		p.broken = err
	}
	return p
}

// doubt keeps the records of a page in memory that the database did not take and that
// the disk may not have.
func (j *Journal) doubt(p *page) {
	if p.broken == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = append(j.waiting, p.kept...)
}

// saveWaiting saves what no file took.
func (j *Journal) saveWaiting(ctx context.Context) error {
	j.mu.Lock()
	list := j.waiting
	j.waiting = nil
	j.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := j.save(ctx, list); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.waiting = append(list, j.waiting...)
		return fmt.Errorf("%d records are in memory only: %w", len(list), err)
	}
	return nil
}

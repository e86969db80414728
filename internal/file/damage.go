package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"stele/internal/media"
)

// againAfter is how long a file that was found damaged is refused without being read. Then it
// is tried again: its storage may have been wrong, or the operator has put it right.
const againAfter = 5 * time.Second

// Open reads a part of a file's bytes, all the rest where n is negative: as many as there
// must be, or an error. The whole of a file is compared with what was kept: if it is damaged
// its last bytes are never given, and the error is ErrDamaged. A part cannot be compared.
func (s *Service) Open(ctx context.Context, f *File, off, n int64) (io.ReadCloser, error) {
	if err := s.damages.foundLately(f.ID, s.Now()); err != nil {
		return nil, err
	}
	b, err := openBody(ctx, s.Blobs, f, off, n)
	if err != nil {
		return nil, s.tell(ctx, f, err)
	}
	return &watched{ReadCloser: b, seen: func(err error) error { return s.tell(ctx, f, err) }}, nil
}

// Compare reads a file and reports whether it is as it was kept: ErrDamaged, or
// fs.ErrNotExist, if it is not. No operator is told.
func (s *Service) Compare(ctx context.Context, f *File) error {
	b, err := openBody(ctx, s.Blobs, f, 0, -1)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = io.Copy(io.Discard, b)
	return err
}

// isDamage reports whether an error says that a file is not as it was kept.
func isDamage(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist) }

// tell makes an error of a file known to the operator, if it says that the file is not as
// it was kept: in the log, in the metrics, and to stele doctor. One that is deleted meanwhile
// is no loss.
func (s *Service) tell(ctx context.Context, f *File, err error) error {
	err = fmt.Errorf("read file %s: %w", f.ID, err)
	if !isDamage(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), againAfter)
	defer cancel()
	kept, unmarked := s.Store.MarkDamaged(ctx, f.ID, s.Now())
	if unmarked == nil && !kept {
		return err
	}
	s.damages.add(f.ID, err, s.Now())
	if s.Damaged != nil {
		s.Damaged()
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "a file is not as it was kept", slog.String("file", f.ID), slog.String("workspace", f.Workspace),
		slog.String("blob", f.Blob), slog.Any("error", errors.Join(err, unmarked)))
	return err
}

// watched is a reader whose first error is seen, and changed, by its owner.
type watched struct {
	io.ReadCloser
	seen func(error) error
	err  error
}

func (w *watched) Read(b []byte) (n int, err error) {
	if w.err == nil {
		n, w.err = w.ReadCloser.Read(b)
		if w.err != nil && w.err != io.EOF { //nolint:errorlint // never wrapped by a reader
			w.err = w.seen(w.err)
		}
	}
	return n, w.err
}

// toInputFailure makes the failure of an input that is not as it was kept, or cannot be read now: then
// it is the storage that is to blame, whichever error it gives. Nothing was sent.
func toInputFailure(ctx context.Context, err error) error {
	switch {
	case isDamage(err):
		return &media.Failure{Class: media.BadInput, Message: "A file of the order is damaged or lost: upload it again.", Err: err}
	case ctx.Err() != nil:
		return err
	}
	return &media.Failure{Class: media.Storage, Message: "A file of the order could not be read: the server could not reach its storage.", Err: err}
}

// damages are the files that were found damaged lately. The zero value is ready.
type damages struct {
	mu    sync.Mutex // guards found
	found map[string]damage
}

type damage struct {
	at  time.Time
	err error
}

// foundLately says what was found wrong with a file a moment ago, nil where nothing was.
func (d *damages) foundLately(id string, now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if it, ok := d.found[id]; ok && now.Sub(it.at) < againAfter {
		return it.err
	}
	return nil
}

func (d *damages) add(id string, err error, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for old, it := range d.found {
		if now.Sub(it.at) >= againAfter {
			delete(d.found, old)
		}
	}
	if d.found == nil {
		d.found = make(map[string]damage)
	}
	d.found[id] = damage{now, err}
}

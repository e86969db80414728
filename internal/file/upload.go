package file

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"log/slog"
	"time"

	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/share"
	"stele/internal/uid"
)

// arrival is how long a file may take to arrive. What has not arrived by then is
// swept: its process has died.
const arrival = time.Hour

// Upload is a file on its way in.
type Upload struct {
	ID        string // of an upload that is tried again; "": a new one
	Workspace string
	Name      string
	Body      io.Reader
	Documents bool // pdf and text are taken as well
	Most      int64
	Announced int64 // bytes that the client says it will send, about; 0: it does not say
	Keep      time.Duration

	// Judge is called when all bytes were read and everything about the file is
	// known, before it becomes visible. Its error is the upload's, and leaves
	// nothing behind. It may be nil.
	Judge func(*File) error

	generation string
	place      int
	owed       bool // it belongs to work that was begun: it is taken however much its workspace holds
	lenient    bool // what a maker made is kept even where its end is odd
	dry        bool // look only
}

// Save copies an upload into the blob store while it looks at it. Either the file
// is there afterwards, whole and hashed, or nothing is. Its errors are for clients.
func (s *Service) Save(ctx context.Context, up Upload) (*File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, arrival-time.Minute,
		fault.New(fault.InvalidRequestBody, "The upload took longer than %s.", arrival))
	defer cancel()
	settings := s.Settings()
	up.Most = cmp.Or(up.Most, settings.most(""))
	up.Keep = cmp.Or(up.Keep, settings.Files)
	again := up.ID != "" // one that died on its way may have left a row, and under its name the same bytes
	if !again {
		up.ID = uid.New("file")
	}
	now := s.Now()
	f := &File{
		ID: up.ID, Workspace: up.Workspace, State: Arriving, Name: cleanName(up.Name),
		Created: now, Expires: now.Add(arrival), Generation: up.generation, Place: up.place,
	}
	passing := s.newPassing(ctx, &up, f, settings)
	defer passing.close()
	head, err := passing.source.Peek(headSize)
	if err != nil && err != io.EOF { //nolint:errorlint // bare at the end; a broken body may have it as its cause
		return nil, err
	}
	known, ok := formatOf(head)
	if !ok || up.dry { // nothing to keep, but the whole of it decides which error is told
		if _, err := io.Copy(io.Discard, passing); err != nil {
			return nil, err
		}
		return f, nil
	}
	f.Blob = blobKey(f, known.ext)
	f.Kind, f.Type = known.Kind, known.Type
	if passing.room, err = s.Share.Arrive(ctx, up.Workspace, up.Announced, up.owed); err != nil {
		return nil, err
	}
	defer func() { passing.room.Leave(f.State == Ready) }()
	if again {
		if err := errors.Join(s.Store.DoomFile(ctx, f.ID), s.Store.DeleteFile(ctx, f.ID)); err != nil {
			return nil, err
		}
	}
	if err := s.Store.InsertFile(ctx, f); err != nil {
		return nil, err
	}
	if err := s.write(ctx, f, passing, up.Keep); err != nil {
		s.undo(ctx, f)
		return nil, err
	}
	return f, nil
}

func (s *Service) write(ctx context.Context, f *File, passing *passing, keep time.Duration) error {
	if _, err := s.Blobs.Put(ctx, f.Blob, passing); err != nil {
		if passing.err != nil && passing.err != io.EOF { //nolint:errorlint // all of it was read: then it is the store's
			return passing.err // in words of its own, without the path it took
		}
		return err
	}
	f.State, f.Expires = Ready, f.Created.Add(keep)
	return s.Store.FinishFile(ctx, f)
}

// undo removes what a broken upload has left, whatever became of the client.
func (s *Service) undo(ctx context.Context, f *File) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := s.remove(ctx, f); err != nil { // it is swept later
		s.Log.LogAttrs(ctx, slog.LevelWarn, "a broken upload was left for the sweeper", slog.String("file", f.ID), slog.Any("error", err))
	}
}

// blobKey is where the bytes of a file lie. Months keep folders small.
func blobKey(f *File, ext string) string {
	return f.Workspace + "/" + f.Created.UTC().Format("2006-01") + "/" + f.ID + "." + ext
}

// passing is a file's bytes on their way to the blob store: counted, hashed and
// looked at. Its end is reached only when the file is found good.
type passing struct {
	ctx      context.Context //nolint:containedctx // that of the upload
	up       *Upload
	file     *File
	settings Settings
	source   *bufio.Reader
	sum      hash.Hash
	look     *inspector
	room     *share.Arrival
	err      error // the first one, io.EOF included

	processors *fair.Semaphore // nil: they are not shared
}

func (s *Service) newPassing(ctx context.Context, up *Upload, f *File, settings Settings) *passing {
	return &passing{
		ctx: ctx, up: up, file: f, settings: settings, processors: s.Processors, source: bufio.NewReaderSize(up.Body, 32<<10), sum: sha256.New(), look: inspect(scope.From(ctx).Memory),
	}
}

func (p *passing) Read(b []byte) (int, error) {
	if p.err == nil {
		p.err = context.Cause(p.ctx)
	}
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.source.Read(b)
	p.file.Size += int64(n)
	if p.err = p.room.Grow(int64(n), p.up.owed); p.err != nil {
		return 0, p.err
	}
	if p.err = p.examine(b[:n]); p.err != nil {
		return 0, p.err
	}
	switch {
	case err == io.EOF: //nolint:errorlint // as above: what only has it as its cause is an error
		if err = p.judge(); err == nil {
			err = io.EOF
		}
	case err == nil && p.file.Size > p.up.Most:
		err = refuseTooLarge(p.up.Most, p.file.Size)
	}
	p.err = err
	return n, err
}

// examine hashes bytes and looks at them, on a processor of the workspace's share.
func (p *passing) examine(b []byte) error {
	if p.processors != nil {
		if err := p.processors.Acquire(p.ctx, p.up.Workspace, 1); err != nil {
			return err
		}
		defer p.processors.Release(p.up.Workspace, 1)
	}
	p.sum.Write(b)
	_, _ = p.look.Write(b)
	return nil
}

// close ends the look where the bytes did not.
func (p *passing) close() {
	if p.look != nil {
		_, _ = p.look.end()
	}
}

// judge decides whether the file that has passed is taken.
func (p *passing) judge() error {
	facts, err := p.look.end()
	p.look = nil
	f := p.file
	if facts.Kind != "" {
		f.Kind, f.Type, f.Width, f.Height, f.Duration = facts.Kind, facts.Type, facts.Width, facts.Height, facts.Duration
	}
	f.SHA256 = hex.EncodeToString(p.sum.Sum(nil))
	if p.up.lenient && facts.Kind != "" && !errors.Is(err, errUnknown) {
		err = nil
	}
	// The client has the first word: what the request itself lacks is told before
	// what its file is.
	if p.up.Judge != nil {
		if refused := p.up.Judge(f); refused != nil {
			return refused
		}
	}
	if most := p.settings.most(f.Kind); facts.Kind != "" && f.Size > most && !p.up.lenient { // damaged or not
		return refuseTooLarge(most, f.Size)
	}
	if err != nil {
		return toRefusal(err)
	}
	if f.Kind == Document && !p.up.Documents {
		return f.RefuseDocument()
	}
	return nil
}

// RefuseDocument says that a document is not taken where media are.
func (f *File) RefuseDocument() error {
	return fault.New(fault.UnsupportedFileType, "The file is a document (%s): only images, videos and sound are taken here.", f.Type).
		With("content_type", f.Type)
}

// toRefusal makes what a client is told of bytes that cannot be taken.
func toRefusal(err error) error {
	if busy, ok := errors.AsType[*fault.Error](err); ok {
		return busy
	}
	if bomb, ok := errors.AsType[*bombError](err); ok {
		return fault.New(fault.FileTooLarge, "The file cannot be taken: %v.", err).
			With("limit", mostPixels).With("size", bomb.width*bomb.height).With("unit", "pixels")
	}
	return fault.New(fault.UnsupportedFileType, "The file cannot be taken: %v.", err)
}

func refuseTooLarge(limit, size int64) error {
	return fault.New(fault.FileTooLarge, "The file is larger than %d bytes.", limit).With("limit", limit).With("size", size)
}

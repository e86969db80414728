package file

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"stele/internal/access"
	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/share"
)

// Settings are what an operator may change while the service runs.
type Settings struct {
	Image, Video, Audio, Document int64         // the most bytes of each
	Files, Outputs                time.Duration // how long they are kept
	Fetch                         bool          // inputs may be fetched from elsewhere
	URLLife                       time.Duration // of a signed address, at least
}

// most is the largest file of a kind, or of any where that is "".
func (s *Settings) most(kind string) int64 {
	switch kind {
	case Image:
		return s.Image
	case Video:
		return s.Video
	case Audio:
		return s.Audio
	case Document:
		return s.Document
	}
	return max(s.Image, s.Video, s.Audio, s.Document)
}

// Options are what a service stands on.
type Options struct {
	Store    Store
	Blobs    Blobs
	Secret   []byte              // signs addresses
	Secrets  func() [][]byte     // instead of Secret: the first one signs, the others count still; nil: Secret alone
	Public   func() *url.URL     // under which clients reach this installation
	Outside  func() *http.Client // for what clients point at: guard's, for URLs that come from callers
	Settings func() Settings
	Log      *slog.Logger
	Now      func() time.Time

	Share *share.Keeper // how much a workspace may hold; nil: any amount

	Damaged func() // counts files that were found damaged; nil: they are not counted

	Processors *fair.Semaphore // by workspace: on which what arrives is looked at; nil: they are not shared
}

// Service keeps files. It is safe for concurrent use.
type Service struct {
	Options

	drawing *fair.Semaphore // by workspace: how many small pictures are made at once
	damages damages
}

// New makes a service.
func New(o Options) *Service {
	return &Service{Options: o, drawing: fair.New(drawnAtOnce, fair.Half(drawnAtOnce))}
}

// File finds a file of a workspace.
func (s *Service) File(ctx context.Context, workspace, id string) (*File, error) {
	f, err := s.Store.File(ctx, workspace, id)
	if errors.Is(err, access.ErrNotFound) {
		return nil, fault.New(fault.FileNotFound, "There is no file %.64q here.", id).With("file", id)
	}
	return f, err
}

// Drop forgets a file that is not needed after all, at once.
func (s *Service) Drop(ctx context.Context, id string) error {
	f, err := s.Store.File(ctx, "", id)
	if errors.Is(err, access.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.remove(ctx, f)
}

// remove forgets a file in the order that survives a crash at every point: it is
// marked, its bytes go, its row goes. A worker that finds a mark can go on from there.
func (s *Service) remove(ctx context.Context, f *File) error {
	if err := s.Store.DoomFile(ctx, f.ID); err != nil {
		return err
	}
	return s.finish(ctx, f)
}

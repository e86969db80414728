// Package file keeps what clients upload and what makers make: it looks at the
// bytes to know what they are, copies them into the blob store while it hashes
// them, signs addresses under which any client may read them for a while, and
// forgets them when their time is over. It must not know HTTP servers, SQL or
// where the bytes lie.
package file

import (
	"context"
	"io"
	"time"
)

// State says whether a file is there.
type State string

// The states. Only ready files exist for clients; the other two say that bytes
// may lie in the blob store which no client will ask for.
const (
	Arriving State = "arriving" // its bytes are being written, or were when the process died
	Ready    State = "ready"
	Doomed   State = "doomed" // its bytes are being deleted
)

// The kinds of files.
const (
	Image    = "image"
	Video    = "video"
	Audio    = "audio"
	Document = "document"
)

// File is what is known of some bytes.
type File struct {
	ID        string
	Workspace string
	State     State
	Blob      string // its key in the blob store
	Name      string // as the client called it, without folders
	Kind      string // image, video, audio or document
	Type      string // content type, found by looking at the bytes
	Size      int64
	SHA256    string // hexadecimal
	Width     int    // of pictures and clips, 0 where it is not known
	Height    int
	Duration  float64 // seconds, 0 where it is not known

	Generation string // that made it, "" for what a client gave
	Place      int    // among the outputs of that generation

	Created time.Time
	Expires time.Time // an arriving file's: when it is given up
}

// Store keeps what is known of files. What it does not find is
// access.ErrNotFound.
type Store interface {
	// InsertFile writes down a file that is arriving, before its first byte is kept.
	InsertFile(ctx context.Context, f *File) error
	// FinishFile makes an arriving file ready, with all that is known of it now. A
	// file that is not arriving any more is access.ErrNotFound.
	FinishFile(ctx context.Context, f *File) error
	// File finds a ready file of a workspace, or of any where that is "".
	File(ctx context.Context, workspace, id string) (*File, error)
	// MadeFile finds the ready file that a generation's output became.
	MadeFile(ctx context.Context, generation string, place int) (*File, error)
	// Files lists a workspace's ready files, the newest first.
	Files(ctx context.Context, workspace string, limit int) ([]File, error)
	// MarkDamaged writes down that the bytes of a ready file are lost or not those that
	// were kept. It reports whether there is such a file.
	MarkDamaged(ctx context.Context, id string, at time.Time) (bool, error)

	Bin
}

// Bin is the half of a Store that forgets.
type Bin interface {
	// DoomFiles marks files as doomed whose Expires is not after now, arriving ones
	// and ready ones that no unfinished generation uses, and lists up to limit
	// doomed files, those of earlier calls first. A generation counts
	// as using its files from the moment the task is saved: saving a task whose file
	// is not ready fails, and the two can never both win.
	DoomFiles(ctx context.Context, now time.Time, limit int) ([]File, error)
	// DoomFile marks one file, whatever its state and uses.
	DoomFile(ctx context.Context, id string) error
	// DeleteFile forgets a doomed file whose bytes are gone.
	DeleteFile(ctx context.Context, id string) error
}

// Blobs keeps bytes under keys.
type Blobs interface {
	// Put stores what r gives under key. Either all of it is there afterwards or
	// nothing is: an error of r leaves nothing behind.
	Put(ctx context.Context, key string, r io.Reader) (int64, error)
	// Open reads n bytes from off on, or all the rest where n is negative. A key that
	// is not there gives fs.ErrNotExist.
	Open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error)
	// Delete forgets key. One that is not there is no error.
	Delete(ctx context.Context, key string) error
}

package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// ErrDamaged says that the bytes of a file are not those that were kept.
var ErrDamaged = errors.New("the bytes are not those that were kept")

// piece is how much of a file is asked for at a time: a client that reads a range near
// the front of a long film does not set the whole rest in motion.
const piece = 8 << 20

// body is a part of a file: as many bytes as there must be, or an error, whatever the place for
// files gives. Where it is the whole file, its last bytes are given only when all of them
// are found to be those that were kept: what is damaged never comes to its end.
type body struct {
	ctx   context.Context //nolint:containedctx // that of the call it reads for
	blobs Blobs
	file  *File

	at, end int64
	from    io.ReadCloser // the piece at hand; nil: none
	left    int64         // of it
	sum     hash.Hash     // of what was read; nil: it is not the whole
	err     error         // the first one
}

// openBody opens a part of a file, all the rest where n is negative.
func openBody(ctx context.Context, blobs Blobs, f *File, off, n int64) (*body, error) {
	if rest := max(0, f.Size-off); n < 0 || n > rest {
		n = rest
	}
	b := &body{ctx: ctx, blobs: blobs, file: f, at: off, end: off + n}
	if n == f.Size {
		b.sum = sha256.New()
	}
	return b, b.open()
}

func (b *body) Read(p []byte) (int, error) {
	if b.err == nil && b.at == b.end {
		b.err = io.EOF
	}
	if b.err == nil && b.from == nil {
		b.err = b.open()
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.at += int64(n)
	b.left -= int64(n)
	switch {
	case b.left == 0:
		err = nil
		_ = b.Close()
	case err == io.EOF: //nolint:errorlint // as io.Reader promises
		err = fmt.Errorf("%w: it ends after %d bytes of %d", ErrDamaged, b.at, b.file.Size)
	}
	if b.sum != nil && err == nil {
		b.sum.Write(p[:n])
		err = b.agree()
	}
	if b.err = err; errors.Is(err, ErrDamaged) {
		return 0, err // they go no further
	}
	return n, err
}

// agree compares the whole file with what was kept, once it was read.
func (b *body) agree() error {
	if b.at < b.end {
		return nil
	}
	if sum := hex.EncodeToString(b.sum.Sum(nil)); sum != b.file.SHA256 {
		return fmt.Errorf("%w: their SHA-256 is %s", ErrDamaged, sum)
	}
	return nil
}

// open opens the next piece.
func (b *body) open() (err error) {
	b.left = min(piece, b.end-b.at)
	b.from, err = b.blobs.Open(b.ctx, b.file.Blob, b.at, b.left)
	return err
}

// Close gives back what is open.
func (b *body) Close() error {
	if b.from == nil {
		return nil
	}
	err := b.from.Close()
	b.from = nil
	return err
}

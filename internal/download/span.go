package download

import (
	"context"
	"errors"
	"io"

	"stele/internal/file"
)

// piece is how much of a file is asked for at a time: a client that reads a range near
// the front of a long film does not set the whole rest in motion.
const piece = 8 << 20

// span is a file's bytes as something to seek in. Nothing is opened before it is
// read.
type span struct {
	ctx   context.Context //nolint:containedctx // that of the request it answers
	files *file.Service
	file  *file.File

	at   int64
	from io.ReadCloser // the piece at hand; nil: none
	left int64         // of it
	err  error         // the first one that is not the end
}

// Seek moves to another place.
func (s *span) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.file.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start")
	}
	if offset != s.at {
		s.close()
		s.at = offset
	}
	return s.at, nil
}

// Read reads on.
func (s *span) Read(b []byte) (int, error) {
	if s.at >= s.file.Size {
		return 0, io.EOF
	}
	if s.err == nil {
		s.err = s.open()
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.from.Read(b[:min(int64(len(b)), s.left)])
	s.at += int64(n)
	s.left -= int64(n)
	if s.left == 0 {
		s.close()
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // there is less of it than there was
	}
	s.err = err
	return n, err
}

// open opens the piece at the place where it is.
func (s *span) open() (err error) {
	if s.from != nil || s.at >= s.file.Size {
		return nil
	}
	s.left = min(piece, s.file.Size-s.at)
	s.from, err = s.files.Open(s.ctx, s.file, s.at, s.left)
	return err
}

func (s *span) close() {
	if s.from != nil {
		_ = s.from.Close()
		s.from = nil
	}
}

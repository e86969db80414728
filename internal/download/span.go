package download

import (
	"context"
	"errors"
	"io"

	"stele/internal/file"
)

// span is a file's bytes as something to seek in. Nothing is opened before it is
// read, or open is called.
type span struct {
	ctx   context.Context //nolint:containedctx // that of the request it answers
	files *file.Service
	file  *file.File

	at    int64
	from  io.ReadCloser // nil: none
	stand int64         // where from is
	err   error         // the first one that is not the end
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
	s.at = offset
	return s.at, nil
}

// Read reads on.
func (s *span) Read(b []byte) (int, error) {
	if s.err == nil {
		s.err = s.open()
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.at >= s.file.Size {
		return 0, io.EOF
	}
	n, err := s.from.Read(b)
	s.at += int64(n)
	if s.stand = s.at; err != io.EOF { //nolint:errorlint // never wrapped by a reader
		s.err = err
	}
	return n, err
}

// open opens the file at the place where it is read, if it is not open there.
func (s *span) open() (err error) {
	if s.at >= s.file.Size || s.from != nil && s.stand == s.at {
		return nil
	}
	s.close()
	s.stand = s.at
	s.from, err = s.files.Open(s.ctx, s.file, s.at, -1)
	return err
}

func (s *span) close() {
	if s.from != nil {
		_ = s.from.Close()
		s.from = nil
	}
}

package picture

import (
	"errors"
	"io"
)

// mostScans is how many scans a JPEG may have. Each of a few bytes has the decoder walk over
// the whole picture; programs write about ten.
const mostScans = 500

var errScans = errors.New("the picture has too many scans")

// scans reads a JPEG and counts its scans: within one no other marker looks like the next.
type scans struct {
	io.Reader
	n      int
	marker bool // the last byte may begin a marker
}

func (s *scans) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	for _, c := range p[:n] {
		if s.marker && c == 0xda {
			s.n++
		}
		s.marker = c == 0xff
	}
	if s.n > mostScans {
		return 0, errScans
	}
	return n, err
}

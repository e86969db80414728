// Package wire is frames on the wire: server-sent events and JSON arrays, read
// and written whole. It must not know what the frames say.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong says that a line or an event is longer than may be held.
var ErrTooLong = errors.New("a frame is longer than may be held")

// Frame is one event of a stream. Its slices are valid until the next one is read.
type Frame struct {
	Event []byte // the event's name; empty where it has none
	Data  []byte // its data lines, joined
	Raw   []byte // all its bytes, the blank line that ends it included
}

// Reader reads a stream frame by frame.
type Reader interface {
	// Next gives the next frame, or io.EOF after the last whole one. A stream that
	// breaks off inside a frame gives io.ErrUnexpectedEOF.
	Next() (Frame, error)
	// Waiting reports whether Next would have to wait for the network.
	Waiting() bool
}

// SSE reads server-sent events: lines may end in LF, CRLF or CR, a byte order
// mark, comments, ids and retry times are passed over.
type SSE struct {
	r    *bufio.Reader
	max  int
	raw  []byte
	data []byte
	name []byte
	bom  bool
}

// NewSSE makes a reader that refuses events longer than max bytes.
func NewSSE(r io.Reader, max int) *SSE { return &SSE{r: bufio.NewReaderSize(r, 16<<10), max: max} }

// Waiting reports whether nothing more has arrived yet.
func (s *SSE) Waiting() bool { return s.r.Buffered() == 0 }

// Next reads one event. Events without data, such as comments, come as frames
// with an empty Data, so that whoever passes bytes on misses none.
func (s *SSE) Next() (Frame, error) {
	s.raw, s.data, s.name = s.raw[:0], s.data[:0], s.name[:0]
	seen := false
	for {
		line, err := s.line()
		if err != nil {
			if errors.Is(err, io.EOF) && len(s.raw) > 0 {
				// Some servers leave out the last blank line: what came is an event if it is
				// whole. Whoever passes it on needs the line, or the client loses the event.
				if seen && len(line) == 0 {
					s.raw = append(s.raw, '\n')
					return Frame{Event: s.name, Data: s.data, Raw: s.raw}, nil
				}
				return Frame{}, io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
		if len(line) == 0 {
			return Frame{Event: s.name, Data: s.data, Raw: s.raw}, nil
		}
		if s.field(line) {
			seen = true
		}
	}
}

// field takes one line over and reports whether it was data.
func (s *SSE) field(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if len(s.data) > 0 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		return true
	case "event":
		s.name = append(s.name[:0], value...)
	}
	return false
}

// line reads one line, appends its bytes to raw and returns it without its end.
func (s *SSE) line() ([]byte, error) {
	start := len(s.raw)
	for {
		piece, err := s.r.ReadSlice('\n')
		s.raw = append(s.raw, piece...)
		if len(s.raw) > s.max {
			return nil, ErrTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line := s.raw[start:]
		if err != nil {
			return bytes.TrimRight(line, "\r"), err
		}
		line = bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'})
		if !s.bom {
			s.bom = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		return line, nil
	}
}

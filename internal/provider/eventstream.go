package provider

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Amazon's event stream: messages in binary frames. A frame is its whole length,
// the length of its headers and a checksum of both, then headers, payload and a
// checksum of everything before it.
const (
	preludeSize = 12
	trailerSize = 4
	mostHeaders = 128 << 10
)

var errFrame = errors.New("a frame of the event stream is damaged")

// eventMessage is one message. Its slices are valid until the next one is read.
type eventMessage struct {
	headers map[string]string // those that are text; no other is of use here
	payload []byte
}

// eventStream reads messages.
type eventStream struct {
	r     io.Reader
	most  int // bytes of a message
	frame []byte
}

// next is the next message. io.EOF is the end between two messages; anywhere
// else it is io.ErrUnexpectedEOF.
func (s *eventStream) next() (eventMessage, error) {
	var prelude [preludeSize]byte
	if _, err := io.ReadFull(s.r, prelude[:]); err != nil {
		return eventMessage{}, err
	}
	size := binary.BigEndian.Uint32(prelude[0:])
	headers := binary.BigEndian.Uint32(prelude[4:])
	switch {
	case crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]):
		return eventMessage{}, fmt.Errorf("%w: checksum of its lengths", errFrame)
	case size < preludeSize+trailerSize, headers > mostHeaders, headers > size-preludeSize-trailerSize:
		return eventMessage{}, fmt.Errorf("%w: lengths %d and %d", errFrame, size, headers)
	case int64(size) > int64(s.most):
		return eventMessage{}, errTooLong()
	}
	if err := s.read(prelude[:], int(size)); err != nil {
		return eventMessage{}, err
	}
	end := len(s.frame) - trailerSize
	if crc32.ChecksumIEEE(s.frame[:end]) != binary.BigEndian.Uint32(s.frame[end:]) {
		return eventMessage{}, fmt.Errorf("%w: checksum", errFrame)
	}
	m := eventMessage{payload: s.frame[preludeSize+headers : end]}
	var err error
	m.headers, err = readHeaders(s.frame[preludeSize : preludeSize+headers])
	return m, err
}

// read reads the rest of a frame. A length is believed only as far as bytes come.
func (s *eventStream) read(prelude []byte, size int) error {
	s.frame = append(s.frame[:0], prelude...)
	for len(s.frame) < size {
		from := len(s.frame)
		piece := min(size-from, 256<<10)
		if cap(s.frame) < from+piece {
			s.frame = append(make([]byte, 0, from+max(piece, from)), s.frame...)
		}
		s.frame = s.frame[:from+piece]
		if _, err := io.ReadFull(s.r, s.frame[from:]); err != nil {
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// sizes are the lengths of headers' values by their type; -1: it says so itself.
var sizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const textHeader = 7

func readHeaders(b []byte) (map[string]string, error) {
	list := make(map[string]string, 4)
	for len(b) > 0 {
		name := int(b[0])
		if len(b) < 2+name {
			return nil, fmt.Errorf("%w: headers", errFrame)
		}
		key, kind := string(b[1:1+name]), int(b[1+name])
		b = b[2+name:]
		if kind >= len(sizes) {
			return nil, fmt.Errorf("%w: a header of type %d", errFrame, kind)
		}
		size := sizes[kind]
		if size < 0 {
			if len(b) < 2 {
				return nil, fmt.Errorf("%w: headers", errFrame)
			}
			size, b = int(binary.BigEndian.Uint16(b)), b[2:]
		}
		if len(b) < size {
			return nil, fmt.Errorf("%w: headers", errFrame)
		}
		if kind == textHeader {
			list[key] = string(b[:size])
		}
		b = b[size:]
	}
	return list, nil
}

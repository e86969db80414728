// Package picture reads pictures that come from outside: it looks at what decoding one
// would take before anything is decoded, and decodes it under a lease, where nothing that
// a decoder does can end the process. It must not know files, tasks or HTTP.
package picture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Header is what a picture says of itself before its pixels.
type Header struct {
	Format        string // png, jpeg, gif or webp
	Width, Height int
	Cost          int64 // about how many bytes decoding it takes, at the highest
}

// ErrFormat says that bytes are no picture that can be read here.
var ErrFormat = errors.New("this is no png, jpeg, gif or webp picture")

var errHeader = errors.New("the picture's header is damaged")

// mostSide is what a picture can have at all: more would not fit the sums below.
const mostSide = 1 << 20

// Look reads the header of a picture and no more of it than that.
func Look(r io.Reader) (Header, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(16)
	if err != nil && err != io.EOF { //nolint:errorlint // as Peek promises
		return Header{}, errors.Join(errHeader, err)
	}
	if len(head) < 12 {
		return Header{}, ErrFormat
	}
	var h Header
	switch {
	case string(head[:8]) == "\x89PNG\r\n\x1a\n":
		h, err = lookPNG(b)
	case string(head[:3]) == "\xff\xd8\xff":
		h, err = lookJPEG(b)
	case string(head[:4]) == "GIF8":
		h, err = lookGIF(b)
	case string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		h, err = lookWebP(b)
	default:
		return Header{}, ErrFormat
	}
	if err != nil {
		return Header{}, errors.Join(errHeader, err)
	}
	if h.Width <= 0 || h.Height <= 0 || h.Width > mostSide || h.Height > mostSide {
		return Header{}, errHeader
	}
	return h, nil
}

// pixels is how many there are.
func (h *Header) pixels() int64 { return int64(h.Width) * int64(h.Height) }

// lookPNG reads the one chunk that every PNG begins with.
func lookPNG(r io.Reader) (Header, error) {
	var b [33]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return Header{}, err
	}
	if string(b[12:16]) != "IHDR" {
		return Header{}, errHeader
	}
	h := Header{Format: "png", Width: side(binary.BigEndian.Uint32(b[16:])), Height: side(binary.BigEndian.Uint32(b[20:]))}
	each := int64(4)
	if b[25] == 3 { // a palette
		each = 1
	}
	if b[24] == 16 {
		each *= 2
	}
	h.Cost = h.pixels() * each
	if b[28] != 0 { // interlaced: its passes are pictures of their own
		h.Cost *= 2
	}
	return h, nil
}

// side is a length that fits an int on every machine.
func side(n uint32) int { return int(min(n, mostSide+1)) }

// lookJPEG walks to the segment that says what the picture is made of.
func lookJPEG(r *bufio.Reader) (Header, error) {
	if _, err := r.Discard(2); err != nil {
		return Header{}, err
	}
	adobe := false
	for {
		marker, size, err := nextSegment(r)
		if err != nil {
			return Header{}, err
		}
		switch {
		case marker == 0xc0 || marker == 0xc1 || marker == 0xc2:
			segment := make([]byte, size)
			if _, err := io.ReadFull(r, segment); err != nil {
				return Header{}, err
			}
			return frameJPEG(segment, marker == 0xc2, adobe)
		case marker == 0xee:
			adobe = true
		case marker == 0xd9 || marker == 0xda: // the end, or a scan without a frame
			return Header{}, errHeader
		}
		if _, err := r.Discard(size); err != nil {
			return Header{}, err
		}
	}
}

// nextSegment is the marker and the length of the next segment.
func nextSegment(r *bufio.Reader) (marker byte, size int, err error) {
	for marker == 0 || marker == 0xff { // fillers, and what lies between
		b, err := r.ReadByte()
		if err != nil {
			return 0, 0, err
		}
		if b != 0xff && marker != 0xff {
			continue
		}
		marker = b
	}
	if marker >= 0xd0 && marker <= 0xd7 { // without a body
		return marker, 0, nil
	}
	var b [2]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, 0, err
	}
	size = int(binary.BigEndian.Uint16(b[:])) - 2
	if size < 0 {
		return 0, 0, errHeader
	}
	return marker, size, nil
}

// frameJPEG reads the size and the components of a JPEG. A progressive one has all its
// coefficients in memory, four bytes each, beside the picture.
func frameJPEG(segment []byte, progressive, adobe bool) (Header, error) {
	if len(segment) < 6 || len(segment) < 6+3*int(segment[5]) {
		return Header{}, errHeader
	}
	h := Header{Format: "jpeg", Height: int(binary.BigEndian.Uint16(segment[1:])), Width: int(binary.BigEndian.Uint16(segment[3:]))}
	components := segment[6 : 6+3*int(segment[5])]
	wide, high, sum := 1, 1, 0
	for i := 1; i < len(components); i += 3 {
		across, down := int(components[i]>>4), int(components[i]&15)
		wide, high, sum = max(wide, across), max(high, down), sum+across*down
	}
	padded := (int64(h.Width) + 64) * (int64(h.Height) + 64)
	h.Cost = padded * int64(sum) / int64(wide*high)
	if progressive {
		h.Cost *= 5
	}
	if adobe || segment[5] == 4 || len(components) >= 3 && components[0] == 'R' { // written again in other colours
		h.Cost += 4 * padded
	}
	return h, nil
}

func lookGIF(r io.Reader) (Header, error) {
	var b [10]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return Header{}, err
	}
	h := Header{Format: "gif", Width: int(binary.LittleEndian.Uint16(b[6:])), Height: int(binary.LittleEndian.Uint16(b[8:]))}
	h.Cost = h.pixels()
	return h, nil
}

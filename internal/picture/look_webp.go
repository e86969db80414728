package picture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// How many bytes a pixel of a WebP takes while it is decoded: brightness and half the
// colours; or all of them, what they are predicted from, and what one sees through.
const (
	webpPlain = 3
	webpEach  = 9
)

// mostChunks is how many chunks are looked at before the first picture.
const mostChunks = 64

// lookWebP walks to the first picture. The canvas may be said to be smaller than what is
// on it, and decoders believe the latter: the larger counts.
func lookWebP(r *bufio.Reader) (Header, error) {
	if _, err := r.Discard(12); err != nil {
		return Header{}, err
	}
	h := Header{Format: "webp"}
	largest, canvas := int64(0), false
	see := func(width, height int) {
		if h.Width == 0 {
			h.Width, h.Height = width, height
		}
		largest = max(largest, int64(width)*int64(height))
	}
	for range mostChunks {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return Header{}, err
		}
		name, size := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		size += size & 1
		switch name {
		case "VP8X", "ANMF":
			width, height, used, err := canvasWebP(r, name)
			if err != nil {
				return Header{}, err
			}
			see(width, height)
			canvas = true
			if name == "ANMF" { // what is in it comes next
				continue
			}
			size -= used
		case "VP8 ", "VP8L":
			width, height, err := frameWebP(r, name)
			if err != nil {
				return Header{}, err
			}
			see(width, height)
			h.Cost = webpEach * largest
			if name == "VP8 " && !canvas {
				h.Cost = webpPlain * largest
			}
			return h, nil
		}
		if _, err := io.CopyN(io.Discard, r, max(0, size)); err != nil {
			return Header{}, err
		}
	}
	return Header{}, errors.New("no picture among its chunks")
}

// canvasWebP reads the size in the chunk of a canvas or of a frame of an animation.
func canvasWebP(r io.Reader, name string) (width, height int, used int64, err error) {
	b := make([]byte, 10)
	at := 4
	if name == "ANMF" {
		b, at = make([]byte, 16), 6
	}
	if _, err := io.ReadFull(r, b); err != nil {
		return 0, 0, 0, err
	}
	number := func(b []byte) int { return 1 + int(b[0]) + int(b[1])<<8 + int(b[2])<<16 }
	return number(b[at:]), number(b[at+3:]), int64(len(b)), nil
}

// frameWebP reads the size in the chunk of a picture.
func frameWebP(r *bufio.Reader, name string) (width, height int, err error) {
	b, err := r.Peek(10)
	if err != nil {
		return 0, 0, err
	}
	if name == "VP8L" {
		bits := binary.LittleEndian.Uint32(b[1:])
		return 1 + int(bits&0x3fff), 1 + int(bits>>14&0x3fff), nil
	}
	return int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff), nil
}

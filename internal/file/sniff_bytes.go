package file

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"stele/internal/memory"
)

// reader reads a file front to back. The first error stays: after it everything
// reads as zeros, so that a walk needs to look at it only where it loops.
type reader struct {
	*bufio.Reader
	at  int64
	err error
	buf [8]byte

	lease *memory.Lease // of the file's caller
}

func newReader(r io.Reader) *reader { return &reader{Reader: bufio.NewReaderSize(r, 2*headSize)} }

// fail keeps the first error. The end of the file in the middle of something is errCut.
func (r *reader) fail(err error) {
	if r.err != nil || err == nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errCut
	}
	r.err = err
}

func (r *reader) failText(text string) { r.fail(errors.New(text)) }

// bytes reads n bytes, at most eight, which are good until the next call.
func (r *reader) bytes(n int) []byte {
	b := r.buf[:n]
	clear(b)
	r.fill(b)
	return b
}

// fill reads as many bytes as b has room for.
func (r *reader) fill(b []byte) {
	if r.err != nil {
		return
	}
	n, err := io.ReadFull(r.Reader, b)
	r.at += int64(n)
	if err != nil {
		clear(b)
		r.fail(err)
	}
}

func (r *reader) u8() int      { return int(r.bytes(1)[0]) }
func (r *reader) be16() int    { return int(binary.BigEndian.Uint16(r.bytes(2))) }
func (r *reader) le16() int    { return int(binary.LittleEndian.Uint16(r.bytes(2))) }
func (r *reader) be32() int    { return int(binary.BigEndian.Uint32(r.bytes(4))) }
func (r *reader) le32() int    { return int(binary.LittleEndian.Uint32(r.bytes(4))) }
func (r *reader) name() string { return string(r.bytes(4)) }

// text reads n bytes, at most a few hundred.
func (r *reader) text(n int) []byte {
	b := make([]byte, min(n, 1024))
	r.fill(b)
	return b
}

// skip passes over n bytes, all of which must be there.
func (r *reader) skip(n int64) {
	if n < 0 {
		r.failText("a length in it is impossible")
	}
	for n > 0 && r.err == nil {
		step, err := r.Discard(int(min(n, 1<<30)))
		r.at += int64(step)
		n -= int64(step)
		r.fail(err)
	}
}

// hasEnded reports whether nothing is left.
func (r *reader) hasEnded() bool {
	if r.err != nil {
		return true
	}
	_, err := r.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		r.fail(err)
	}
	return err != nil
}

// last makes sure that nothing but padding is left.
func (r *reader) last() {
	for !r.hasEnded() {
		if b := r.u8(); b != 0 && b != '\n' && b != '\r' && b != ' ' {
			r.fail(errTail)
		}
	}
}

// archives are read from their end, so one may hang on to any file. markup is
// found by those who read a file as a page. Both are long enough not to appear
// by chance in what they are looked for in.
var (
	archives = [][]byte{[]byte("PK\x05\x06\x00\x00\x00\x00"), []byte("Rar!\x1a\x07"), []byte("7z\xbc\xaf\x27\x1c")}
	markup   = [][]byte{[]byte("<html"), []byte("<!doctype html"), []byte("<script"), []byte("<?php"), []byte("<svg "), []byte("%pdf-1.")}
)

const overlap = 16 // longer than any of them

// rest passes over what is left after the end of a file, unless it is something
// else in itself.
func (r *reader) rest() {
	r.pass(func(block []byte) bool { return has(block, archives) || has(bytes.ToLower(block), markup) })
}

// skipPayload passes over sound or pictures up to the end of the file, unless an
// archive hangs on to them.
func (r *reader) skipPayload() { r.pass(func(block []byte) bool { return has(block, archives) }) }

func (r *reader) pass(refused func([]byte) bool) {
	var block [headSize]byte
	kept := 0
	for r.err == nil {
		n, err := r.Read(block[kept:])
		r.at += int64(n)
		if refused(block[:kept+n]) {
			r.fail(errTail)
		}
		kept = copy(block[:], block[max(0, kept+n-overlap):kept+n])
		if errors.Is(err, io.EOF) {
			return
		}
		r.fail(err)
	}
}

func has(block []byte, patterns [][]byte) bool {
	return slices.ContainsFunc(patterns, func(p []byte) bool { return bytes.Contains(block, p) })
}

// setSize sets how large a picture is.
func (r *reader) setSize(f *Metadata, width, height int) {
	if r.err != nil {
		return
	}
	if width <= 0 || height <= 0 {
		r.failText("it says that it has no pixels")
		return
	}
	f.Width, f.Height = width, height
	if width > mostPixels || height > mostPixels || width*height > mostPixels {
		r.fail(&bombError{width, height})
	}
}

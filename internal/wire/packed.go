package wire

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrPacked is what reading fails with where a body is not packed as its header says.
var ErrPacked = errors.New("it is not packed as it says")

// Unpack reads a body that is packed as a Content-Encoding says. What it unpacks to has no
// bound: the caller sets one. It reports false for a coding that it does not read.
func Unpack(coding string, packed io.ReadCloser) (plain io.ReadCloser, ok bool) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "gzip", "x-gzip":
		return &unpacked{Closer: packed, packed: packed, open: openGzip}, true
	case "deflate":
		return &unpacked{Closer: packed, packed: packed, open: openDeflate}, true
	}
	return nil, false
}

// unpacked is a packed body. Nothing of it is read before its first byte is wanted.
type unpacked struct {
	io.Closer

	packed io.Reader
	open   func(packed io.Reader) (io.Reader, error)
	plain  io.Reader // nil: not opened
	err    error
}

func (u *unpacked) Read(p []byte) (n int, err error) {
	if u.plain == nil && u.err == nil {
		u.plain, u.err = u.open(u.packed)
	}
	if u.err == nil {
		n, u.err = u.plain.Read(p)
	}
	if _, corrupt := errors.AsType[flate.CorruptInputError](u.err); corrupt ||
		errors.Is(u.err, gzip.ErrHeader) || errors.Is(u.err, gzip.ErrChecksum) || errors.Is(u.err, zlib.ErrHeader) || errors.Is(u.err, zlib.ErrChecksum) {
		u.err = fmt.Errorf("%w: %w", ErrPacked, u.err)
	}
	return n, u.err
}

func openGzip(packed io.Reader) (io.Reader, error) { return gzip.NewReader(packed) }

// openDeflate opens what HTTP calls so, with the frame of zlib that belongs to it or, as some
// clients send it, without.
func openDeflate(packed io.Reader) (io.Reader, error) {
	const method, check = 8, 31 // of zlib's first two bytes
	r := bufio.NewReader(packed)
	head, err := r.Peek(2)
	if err != nil {
		return nil, noEOF(err)
	}
	if head[0]&0x0f == method && (int(head[0])<<8|int(head[1]))%check == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// noEOF is the end of what should have had more.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

package memory

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// How room for a body grows while its bytes arrive. What is announced bounds it and
// never makes it: one byte of a gigabyte holds firstPiece.
const (
	firstPiece  = 16 << 10
	secondPiece = 64 << 10
	stride      = 32 // times what has arrived, where more is announced
	beyond      = 16 // bytes more than are announced: readers tell of the end only where there is room
)

// Scratch for the beginnings of bodies that are longer.
var (
	firstScratch  = sync.Pool{New: func() any { return new([firstPiece]byte) }}
	secondScratch = sync.Pool{New: func() any { return new([secondPiece]byte) }}
)

// ReadAll reads r to its end and takes room for it from the lease as bytes arrive.
// announced is how many were promised, below 0 where nothing was. How much r gives is
// for the caller to bound. With an error nothing more is held than before.
func (l *Lease) ReadAll(ctx context.Context, r io.Reader, announced int64) ([]byte, error) {
	b := &body{ctx: ctx, lease: l, r: r, announced: announced}
	whole, err := b.read()
	if err != nil {
		l.Shrink(b.held)
		return nil, err
	}
	return whole, nil
}

// body is bytes on their way in.
type body struct {
	ctx       context.Context //nolint:containedctx // that of one call
	lease     *Lease
	r         io.Reader
	announced int64
	held      int64
	got       []byte
}

func (b *body) read() ([]byte, error) {
	if b.announced >= 0 && b.announced+beyond <= firstPiece { // most are this small
		return b.readOn(b.announced + beyond)
	}
	if err := b.take(firstPiece); err != nil {
		return nil, err
	}
	first := firstScratch.Get().(*[firstPiece]byte)
	defer firstScratch.Put(first)
	b.got = first[:0]
	if ended, err := b.fill(); ended || err != nil {
		return b.own(err)
	}
	if err := b.take(secondPiece); err != nil {
		return nil, err
	}
	second := secondScratch.Get().(*[secondPiece]byte)
	defer secondScratch.Put(second)
	b.got = second[:copy(second[:], b.got)]
	b.give(firstPiece)
	if ended, err := b.fill(); ended || err != nil {
		return b.own(err)
	}
	return b.readOn(b.next())
}

// readOn reads on in pieces of the reader's own, the first of n bytes.
func (b *body) readOn(n int64) ([]byte, error) {
	for {
		n = roomFor(n)
		if err := b.take(n); err != nil {
			return nil, err
		}
		old := b.got
		b.got = append(spare.take(n), old...)
		if cap(old) > 0 {
			b.give(int64(cap(old)))
			spare.give(old) // but for scratch, which is too short
		}
		if ended, err := b.fill(); ended || err != nil {
			return b.got, err
		}
		n = b.next()
	}
}

// next is how much room the next piece has.
func (b *body) next() int64 {
	have := int64(len(b.got))
	if b.announced > have {
		return min(b.announced+beyond, stride*have)
	}
	return 2 * have
}

// fill reads until the room is full, or the bytes end.
func (b *body) fill() (ended bool, err error) {
	for len(b.got) < cap(b.got) {
		n, err := b.r.Read(b.got[len(b.got):cap(b.got)])
		b.got = b.got[:len(b.got)+n]
		if err == io.EOF { //nolint:errorlint // as readers return it
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// own is what was read into scratch, as a slice of its own.
func (b *body) own(err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	b.give(int64(cap(b.got) - len(b.got)))
	return bytes.Clone(b.got), nil
}

func (b *body) take(n int64) error {
	err := b.lease.Grow(b.ctx, n)
	if err == nil {
		b.held += n
	}
	return err
}

func (b *body) give(n int64) {
	b.lease.Shrink(n)
	b.held -= n
}

package studio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"io"
	"runtime"

	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/picture"
	"stele/internal/scope"
	"stele/internal/studio/cores"
	"stele/internal/studio/picturefile"
	"stele/internal/studio/retouch"
)

const (
	sourceBytes  = 64 << 20
	sourcePixels = 40_000_000
)

// source is a picture that was looked at and not yet decoded.
type source struct {
	media.Source

	header picture.Header
}

// look reads the headers of pictures: what would take too much memory is never decoded.
func look(ctx context.Context, given []media.Source) ([]source, error) {
	var all []source
	for _, s := range given {
		r, err := s.Open(ctx)
		if err != nil {
			return nil, err
		}
		header, err := picture.Look(picture.WithContext(ctx, io.LimitReader(r, sourceBytes)))
		_ = r.Close()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, picture.ErrFormat):
			return nil, badInput("%s is no png, jpeg, gif or webp picture.", nameOf(s))
		case err != nil:
			return nil, brokenInput(s, err)
		}
		one := source{s, header}
		if err := one.checkCost(scope.From(ctx).Memory); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// reserve takes what is needed to decode one of the pictures after the other, and for so
// many bytes beside that: at once, and before any is decoded, so that two orders never
// wait for each other. What a caller can never have is not asked for: such an order has
// most of what its workspace may have to itself.
func reserve(ctx context.Context, all []source, beside int64) error {
	lease := scope.From(ctx).Memory
	most := int64(0)
	for i := range all {
		most = max(most, all[i].cost())
	}
	return lease.Await(ctx, min(most+beside, lease.Most()/4*3))
}

// cost is what it takes to open the picture: its file, and what is decoded.
func (s *source) cost() int64 { return s.Size + s.header.Cost }

// open reads the picture: upright, and no larger than most on its longest side.
func (s *source) open(ctx context.Context, most int) (*image.RGBA, error) {
	file, err := readSource(ctx, s.Source)
	if err != nil {
		return nil, err
	}
	turned := picturefile.Orientation(file)
	var m image.Image
	var release func()
	err = cores.Do(ctx, func(ctx context.Context) (err error) {
		m, release, err = s.header.Decode(ctx, nil, bytes.NewReader(file)) // it is reserved
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, brokenInput(s.Source, err)
	}
	defer release()
	if s.header.Cost > letGo {
		file = nil
		runtime.GC() // what it took to decode it is gone before more is taken
	}
	m = retouch.FirstFrame(m, image.Rect(0, 0, s.header.Width, s.header.Height))
	size := m.Bounds().Size()
	if max(size.X, size.Y) > most {
		size = retouch.Within(size, most, most)
	}
	out, err := retouch.Upright(ctx, m, size, turned)
	if m = nil; s.header.Cost > letGo {
		runtime.GC()
	}
	return out, err
}

// letGo is how many bytes are worth being collected at once. Pixels hold no pointers, so
// that it takes a few milliseconds.
const letGo = 16 << 20

// readSource reads the whole of a source.
func readSource(ctx context.Context, s media.Source) ([]byte, error) {
	r, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	file, err := io.ReadAll(io.LimitReader(picture.WithContext(ctx, r), sourceBytes+1))
	if err != nil {
		return nil, err
	}
	if len(file) > sourceBytes {
		return nil, badInput("%s is larger than %d MB.", nameOf(s), sourceBytes>>20)
	}
	return file, nil
}

// checkCost refuses a picture that takes more than any caller may have.
func (s *source) checkCost(lease *memory.Lease) error {
	h := s.header
	if int64(h.Width)*int64(h.Height) > sourcePixels {
		return badInput("%s has %d by %d pixels: more than %d million cannot be edited.", nameOf(s.Source), h.Width, h.Height, sourcePixels/1_000_000)
	}
	if most := lease.Most(); h.Cost > sourceCost || most > 0 && s.cost() > most {
		return badInput("%s has %d by %d pixels, and more bytes for each than can be edited: save it with 8 bits for each colour, or smaller.",
			nameOf(s.Source), h.Width, h.Height)
	}
	return nil
}

// sourceCost is the most that may be taken for decoding one picture: 32 million pixels
// with 8 bits for each colour, half as many with 16; of photographs all that are taken.
const sourceCost = 128 << 20

func nameOf(s media.Source) string { return cmp.Or(s.Name, "The picture") }

func brokenInput(s media.Source, err error) error {
	if f, ok := errors.AsType[*media.Failure](err); ok {
		return f // its bytes could not be had
	}
	return &media.Failure{Class: media.BadInput, Message: nameOf(s) + " is damaged and cannot be read.", Err: err}
}

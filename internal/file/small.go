package file

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"

	"stele/internal/picture"
	"stele/internal/scope"
)

const (
	smallSide   = 640        // pixels of the longer side
	mostDrawn   = 40_000_000 // pixels: what is larger is not read into memory for this
	mostTaken   = 112 << 20  // bytes of memory, likewise
	mostSmall   = 8 << 20    // bytes of a small picture and its checksum
	smallGrade  = 76
	drawnAtOnce = 2
)

// ErrNoSmall says that there is no smaller picture of a file.
var ErrNoSmall = errors.New("there is no small picture of this file")

// Small gives a small picture of a picture, and its content type. It is made when it is first
// asked for, and kept beside the file as long as that lives; one that is damaged is made anew.
// ErrNoSmall is for what is no picture, is small already, or cannot be read here.
func (s *Service) Small(ctx context.Context, f *File) (small []byte, kind string, err error) {
	if f.Kind != Image || f.Type == "image/svg+xml" || int64(f.Width)*int64(f.Height) > mostDrawn || max(f.Width, f.Height) <= smallSide {
		return nil, "", ErrNoSmall
	}
	small, err = s.keptSmall(ctx, f)
	if isDamage(err) {
		small, err = s.makeSmall(ctx, f)
	}
	if err != nil {
		return nil, "", err
	}
	if kind = "image/jpeg"; small[0] == 0x89 {
		kind = "image/png"
	}
	return small, kind, nil
}

// keptSmall reads the small picture that is kept, if it is as it was.
func (s *Service) keptSmall(ctx context.Context, f *File) ([]byte, error) {
	body, err := s.Blobs.Open(ctx, smallKey(f), 0, mostSmall)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	kept, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	small := kept[:max(0, len(kept)-sha256.Size)]
	if len(small) == 0 || !bytes.Equal(kept[len(small):], smallSum(f, small)) {
		return nil, ErrDamaged
	}
	return small, nil
}

// smallSum is what stands behind a small picture where it is kept: it is these bytes, of this file.
func smallSum(f *File, small []byte) []byte {
	sum := sha256.New()
	sum.Write([]byte(f.SHA256))
	sum.Write(small)
	return sum.Sum(nil)
}

// smallKey is where the small picture of a file lies.
func smallKey(f *File) string { return f.Blob + ".small" }

func (s *Service) makeSmall(ctx context.Context, f *File) ([]byte, error) {
	if err := s.drawing.Acquire(ctx, f.Workspace, 1); err != nil { // each takes tens of megabytes
		return nil, err
	}
	defer s.drawing.Release(f.Workspace, 1)
	small, err := s.shrunk(ctx, f)
	if err != nil {
		return nil, err
	}
	body := io.MultiReader(bytes.NewReader(small), bytes.NewReader(smallSum(f, small)))
	if _, err := s.Blobs.Put(ctx, smallKey(f), body); err != nil {
		return nil, fmt.Errorf("keep a small picture: %w", err)
	}
	return small, nil
}

// shrunk draws a picture smaller: as jpeg, or as png where one can see through it. What
// takes more memory than the caller may have is not read.
func (s *Service) shrunk(ctx context.Context, f *File) ([]byte, error) {
	header, err := s.look(ctx, f)
	if err != nil {
		return nil, err
	}
	source, err := s.Open(ctx, f, 0, -1)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	full, release, err := header.Decode(ctx, scope.From(ctx).Memory, bufio.NewReader(source))
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoSmall, err)
	}
	defer release()
	if _, err := io.Copy(io.Discard, source); err != nil { // to its end, where it shows whether it is damaged
		return nil, err
	}
	var out bytes.Buffer
	err = picture.RunSafely(func() error {
		small := picture.Shrink(full, smallSide)
		if small.Opaque() {
			return jpeg.Encode(&out, small, &jpeg.Options{Quality: smallGrade})
		}
		return png.Encode(&out, small)
	})
	return out.Bytes(), err
}

// look reads a picture's header, and refuses what must not be decoded.
func (s *Service) look(ctx context.Context, f *File) (picture.Header, error) {
	source, err := s.Open(ctx, f, 0, -1)
	if err != nil {
		return picture.Header{}, err
	}
	defer source.Close()
	header, err := picture.Look(source)
	if err == nil && (int64(header.Width)*int64(header.Height) > mostDrawn || header.Cost > mostTaken) {
		err = errors.New("it takes too much memory")
	}
	if err != nil {
		return picture.Header{}, fmt.Errorf("%w: %w", ErrNoSmall, err)
	}
	return header, nil
}

package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // what pictures may be
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // what pictures may be
)

const (
	smallSide   = 640        // pixels of the longer side
	mostDrawn   = 40_000_000 // pixels: what is larger is not read into memory for this
	smallGrade  = 76
	drawnAtOnce = 2
)

// ErrNoSmall says that there is no smaller picture of a file.
var ErrNoSmall = errors.New("there is no small picture of this file")

// Small opens a small picture of a picture, and gives its content type. It is made
// when it is first asked for, and kept beside the file as long as that lives.
// ErrNoSmall is for what is no picture, is small already, or cannot be read here.
func (s *Service) Small(ctx context.Context, f *File) (io.ReadCloser, string, error) {
	if f.Kind != Image || f.Type == "image/svg+xml" || int64(f.Width)*int64(f.Height) > mostDrawn || max(f.Width, f.Height) <= smallSide {
		return nil, "", ErrNoSmall
	}
	body, err := s.Blobs.Open(ctx, smallKey(f), 0, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return s.makeSmall(ctx, f)
	}
	if err != nil {
		return nil, "", err
	}
	return typed(body)
}

// smallKey is where the small picture of a file lies.
func smallKey(f *File) string { return f.Blob + ".small" }

func (s *Service) makeSmall(ctx context.Context, f *File) (io.ReadCloser, string, error) {
	select {
	case s.drawing <- struct{}{}: // each takes tens of megabytes
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	defer func() { <-s.drawing }()
	source, err := s.Blobs.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return nil, "", err
	}
	defer source.Close()
	small, err := shrink(source)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.Blobs.Put(ctx, smallKey(f), bytes.NewReader(small)); err != nil {
		return nil, "", fmt.Errorf("keep a small picture: %w", err)
	}
	return typed(io.NopCloser(bytes.NewReader(small)))
}

// shrink draws a picture smaller: as jpeg, or as png where one can see through it.
func shrink(source io.Reader) ([]byte, error) {
	full, _, err := image.Decode(bufio.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoSmall, err)
	}
	size := full.Bounds()
	scale := float64(smallSide) / float64(max(size.Dx(), size.Dy()))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(size.Dx())*scale)), max(1, int(float64(size.Dy())*scale))))
	draw.CatmullRom.Scale(small, small.Bounds(), full, size, draw.Src, nil)
	var out bytes.Buffer
	if small.Opaque() {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: smallGrade})
	} else {
		err = png.Encode(&out, small)
	}
	return out.Bytes(), err
}

// typed tells a jpeg from a png by its first byte.
func typed(body io.ReadCloser) (io.ReadCloser, string, error) {
	buffered := bufio.NewReader(body)
	kind := "image/jpeg"
	if first, err := buffered.Peek(1); err == nil && first[0] == 0x89 {
		kind = "image/png"
	}
	return struct {
		io.Reader
		io.Closer
	}{buffered, body}, kind, nil
}

package studio

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/deepteams/webp"

	"stele/internal/media"
	"stele/internal/provider/studio/canvas/retouch"
)

const (
	sourceBytes  = 64 << 20
	sourcePixels = 40_000_000
	editMost     = 4096 // pixels of the longest side while it is edited, and after
)

// codec is a picture format.
type codec struct {
	name   string
	starts func(b []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var codecs = []codec{
	{"png", starting("\x89PNG\r\n\x1a\n"), png.DecodeConfig, png.Decode},
	{"jpeg", starting("\xff\xd8\xff"), jpeg.DecodeConfig, jpeg.Decode},
	{"gif", starting("GIF8"), gif.DecodeConfig, gif.Decode},
	{"webp", func(b []byte) bool { return len(b) > 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" }, webp.DecodeConfig, webp.Decode},
}

func starting(magic string) func([]byte) bool {
	return func(b []byte) bool { return bytes.HasPrefix(b, []byte(magic)) }
}

// opened reads a source: upright, and no larger than most on its longest side. It
// also gives the name of the format it came in.
func opened(ctx context.Context, s media.Source, most int) (*image.RGBA, string, error) {
	file, err := content(ctx, s)
	if err != nil {
		return nil, "", err
	}
	for _, c := range codecs {
		if !c.starts(file) {
			continue
		}
		config, err := c.config(bytes.NewReader(file))
		if err != nil {
			return nil, "", broken(s, err)
		}
		if err := affordable(s, config); err != nil {
			return nil, "", err
		}
		var m image.Image
		err = apart(ctx, func() (err error) {
			m, err = c.decode(&halting{ctx: ctx, Reader: bytes.NewReader(file)})
			return err
		})
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if err != nil {
			return nil, "", broken(s, err)
		}
		m = whole(m, config)
		size := m.Bounds().Size()
		if max(size.X, size.Y) > most {
			size = retouch.Within(size, most, most)
		}
		out, err := upright(ctx, m, size, orientation(file))
		return out, c.name, err
	}
	return nil, "", badInput("%s is no png, jpeg, gif or webp picture.", called(s))
}

// content reads the whole of a source.
func content(ctx context.Context, s media.Source) ([]byte, error) {
	r, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	file, err := io.ReadAll(io.LimitReader(&halting{ctx: ctx, Reader: r}, sourceBytes+1))
	if err != nil {
		return nil, err
	}
	if len(file) > sourceBytes {
		return nil, badInput("%s is larger than %d MB.", called(s), sourceBytes>>20)
	}
	return file, nil
}

// affordable looks at the header alone: what would take too much memory is never
// decoded.
func affordable(s media.Source, c image.Config) error {
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width <= 0 || c.Height <= 0 {
		return broken(s, errors.New("no pixels"))
	}
	deep := c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model || c.ColorModel == color.Gray16Model
	if deep {
		pixels *= 2 // as many bytes as two of 8 bits
	}
	if pixels > sourcePixels {
		return badInput("%s has %d by %d pixels: more than %d million cannot be edited.", called(s), c.Width, c.Height, sourcePixels/1_000_000)
	}
	return nil
}

// whole is the first frame on its full sheet: that of a GIF may be a part of it.
func whole(m image.Image, c image.Config) image.Image {
	if m.Bounds() == image.Rect(0, 0, c.Width, c.Height) {
		return m
	}
	out := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	draw.Draw(out, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return out
}

// upright is the picture in a size, turned as the camera says it was held.
func upright(ctx context.Context, m image.Image, size image.Point, orientation int) (*image.RGBA, error) {
	var out *image.RGBA
	if size != m.Bounds().Size() {
		small, err := retouch.Resize(ctx, m, size.X, size.Y)
		if err != nil {
			return nil, err
		}
		out = small
	} else {
		out = image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
		draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	}
	return retouch.Orient(ctx, out, orientation)
}

func called(s media.Source) string {
	if s.Name != "" {
		return s.Name
	}
	return "The picture"
}

func broken(s media.Source, err error) error {
	return &media.Failure{Class: media.BadInput, Message: called(s) + " is damaged and cannot be read.", Err: err}
}

// halting is a reader that ends with ctx.
type halting struct {
	ctx context.Context //nolint:containedctx // that of one call
	io.Reader
}

func (h *halting) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(p)
}

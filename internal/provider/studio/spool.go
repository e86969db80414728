package studio

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/color"
	"io"

	"stele/internal/media"
	"stele/internal/picture"
	"stele/internal/provider/spool"
	"stele/internal/studio/cores"
	"stele/internal/studio/picturefile"
	"stele/internal/studio/retouch"
)

// pack encodes a picture.
func pack(ctx context.Context, m *image.RGBA, how picturefile.Wrapping) (media.Output, error) {
	if how.Format == "jpeg" {
		if err := retouch.Flatten(ctx, m, color.RGBA{255, 255, 255, 255}); err != nil {
			return media.Output{}, err
		}
	}
	file, err := writeSpooled(ctx, func(to io.Writer) error { return how.Encode(to, m) })
	if err != nil {
		return media.Output{}, err
	}
	at, note := how.Inset()
	return pictureOf(file, how.Type(), at, note, m.Rect.Size()), nil
}

// writeSpooled writes a file. It gives up when ctx ends, or soon after.
func writeSpooled(ctx context.Context, write func(io.Writer) error) (*spool.File, error) {
	f := spool.New()
	err := compute(ctx, func() error {
		to := bufio.NewWriterSize(&stopping{ctx: ctx, Writer: f}, 64<<10)
		if err := write(to); err != nil {
			return err
		}
		return to.Flush()
	})
	return f, err
}

// compute does work that does not look at ctx: on a processor of its own, and apart
// from a caller that no longer wants it.
func compute(ctx context.Context, work func() error) error {
	return cores.Do(ctx, func(ctx context.Context) error { return picture.RunApart(ctx, work) })
}

// pictureOf is the picture in a file with something put in at a place.
func pictureOf(file *spool.File, contentType string, at int64, more []byte, size image.Point) media.Output {
	return media.Output{
		Kind: "image", Type: contentType, Width: size.X, Height: size.Y,
		Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(file.Section(0, at), bytes.NewReader(more), file.Section(at, file.Size()))), nil
		},
	}
}

// stopping is a writer that refuses when ctx has ended.
type stopping struct {
	ctx context.Context //nolint:containedctx // that of one call
	io.Writer
}

func (s *stopping) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

package studio

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"

	"stele/internal/media"
	"stele/internal/picture"
	"stele/internal/studio/cores"
	"stele/internal/studio/picturefile"
	"stele/internal/studio/retouch"
)

// packed encodes a picture.
func packed(ctx context.Context, m *image.RGBA, how picturefile.Wrapping) (media.Output, error) {
	if how.Format == "jpeg" {
		if err := retouch.Flatten(ctx, m, color.RGBA{255, 255, 255, 255}); err != nil {
			return media.Output{}, err
		}
	}
	file, err := spool(ctx, func(to io.Writer) error { return how.Encode(to, m) })
	if err != nil {
		return media.Output{}, err
	}
	at, note := how.Inset()
	return file.output(how.Type(), at, note, m.Rect.Size()), nil
}

// spooled is a file that was made and waits to be fetched: on the disk, where several
// large ones take no memory, and without a name, so that it is gone with its holder.
type spooled struct {
	file *os.File // closed when nothing can be read from it any more
	size int64
}

// spool writes a file. It gives up when ctx ends, or soon after.
func spool(ctx context.Context, write func(io.Writer) error) (*spooled, error) {
	f, err := os.CreateTemp("", "stele-made-")
	if err != nil {
		return nil, fmt.Errorf("keep what was made: %w", err)
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, the system's own sweep finds it
	err = computing(ctx, func() error {
		to := bufio.NewWriterSize(&stopping{ctx: ctx, Writer: f}, 64<<10)
		if err := write(to); err != nil {
			return err
		}
		return to.Flush()
	})
	if err != nil {
		return nil, err // the file is closed by the collector: an encoder may still write
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("keep what was made: %w", err)
	}
	return &spooled{file: f, size: size}, nil
}

// computing does work that does not look at ctx: on a processor of its own, and apart
// from a caller that no longer wants it.
func computing(ctx context.Context, work func() error) error {
	return cores.Do(ctx, func(ctx context.Context) error { return picture.Apart(ctx, work) })
}

// output is the picture with something put in at a place.
func (s *spooled) output(contentType string, at int64, more []byte, size image.Point) media.Output {
	return media.Output{
		Kind: "image", Type: contentType, Width: size.X, Height: size.Y,
		Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(io.NewSectionReader(s.file, 0, at), bytes.NewReader(more), io.NewSectionReader(s.file, at, s.size-at))), nil
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

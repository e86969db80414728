package picture

import (
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime/debug"

	"github.com/deepteams/webp"

	"stele/internal/memory"
)

var decoders = map[string]func(io.Reader) (image.Image, error){
	"png": png.Decode, "jpeg": jpeg.Decode, "gif": gif.Decode, "webp": webp.Decode,
}

// Decode reads a picture whose header was looked at. It first takes what that costs, for
// as long as it takes to get it: a caller that holds some of the lease already must not
// need more than is left. The caller calls release when the picture is no longer used.
// It ends soon after ctx does.
func (h Header) Decode(ctx context.Context, lease *memory.Lease, r io.Reader) (m image.Image, release func(), err error) {
	decode := decoders[h.Format]
	if decode == nil {
		return nil, nil, ErrFormat
	}
	if h.Format == "jpeg" {
		r = &scans{Reader: r}
	}
	own := lease.Fork()
	if err := own.Await(ctx, h.Cost); err != nil {
		return nil, nil, err
	}
	type decoded struct {
		picture image.Image
		err     error
	}
	done := make(chan decoded, 1)
	go func() {
		var d decoded
		d.err = RunSafely(func() (err error) {
			d.picture, err = decode(WithContext(ctx, r))
			return err
		})
		done <- d
	}()
	select {
	case d := <-done:
		m, err = d.picture, d.err
	case <-ctx.Done():
		go func() { <-done; own.Close() }() // it holds its memory until it has noticed
		return nil, nil, context.Cause(ctx)
	}
	if err == nil && m.Bounds().Dx() > h.Width+64 { // a decoder that saw another header
		err = errHeader
	}
	if err != nil {
		own.Close()
		return nil, nil, err
	}
	return m, own.Close, nil
}

// RunSafely does work that must not end the process: what it panics with is its error.
func RunSafely(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return work()
}

// RunApart does work in a goroutine of its own and returns when it is done or ctx ends,
// whichever is first.
func RunApart(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- RunSafely(work) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WithContext makes a reader end with ctx.
func WithContext(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context //nolint:containedctx // that of one call
	io.Reader
}

func (h *contextReader) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(p)
}

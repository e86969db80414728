package api

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// stall is how long a client may pause while it sends a body, unless the
// settings say otherwise.
const stall = 60 * time.Second

// bound limits how large a request's body may be and how long it may stall.
func (d *Door) bound(route *route, w http.ResponseWriter, r *http.Request) error {
	limit := d.Settings().JSONBody
	if route.group == access.GroupFiles {
		limit = d.Settings().UploadBody
	}
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	r.Body = &body{
		ReadCloser: http.MaxBytesReader(w, r.Body, limit), limit: limit, stall: cmp.Or(d.Settings().Stall, stall), control: http.NewResponseController(w),
	}
	return nil
}

func tooLarge(limit int64) error {
	return fault.New(fault.BodyTooLarge, "The request body is larger than %d bytes.", limit).With("limit", limit)
}

// body turns what goes wrong while reading into errors a client understands.
type body struct {
	io.ReadCloser
	limit   int64
	stall   time.Duration
	control *http.ResponseController
}

func (b *body) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.stall)) // not every test's writer has a connection
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	_ = b.control.SetReadDeadline(time.Time{})
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return n, tooLarge(b.limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, fault.New(fault.InvalidRequestBody, "The request body stopped coming for %s.", b.stall).Because(err)
	}
	if err != io.EOF { //nolint:errorlint // io.EOF is never wrapped by a reader
		return n, fault.New(fault.InvalidRequestBody, "The request body ended before it was complete.").Because(err)
	}
	return n, err
}

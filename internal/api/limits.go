package api

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/wire"
)

// boundBody limits how large a request's body may be. How slow it may be is the
// server's business, for every door alike.
func (d *Door) boundBody(route *route, w http.ResponseWriter, r *http.Request) error {
	limit := d.Settings().JSONBody
	if route.group == access.GroupFiles {
		limit = d.Settings().UploadBody
	}
	if r.ContentLength > limit {
		if route.group == access.GroupFiles { // what is beside a file is never as much
			return fault.New(fault.FileTooLarge, "The upload is larger than %d bytes.", limit).With("limit", limit).With("size", r.ContentLength)
		}
		return refuseTooLarge(limit)
	}
	coding := strings.ToLower(r.Header.Get("Content-Encoding"))
	if slices.Contains(packed, coding) {
		return fault.New(fault.InvalidRequestBody, "The request body is packed (Content-Encoding: %s): send it as it is, or as gzip.", coding)
	}
	if slow, ok := r.Body.(interface{ Trust() }); ok {
		slow.Trust() // its key is good
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if plain, ok := wire.Unpack(coding, r.Body); ok {
		r.Body, r.ContentLength = http.MaxBytesReader(w, plain, limit), -1 // how long it is shows at its end
	}
	r.Body = &body{ReadCloser: r.Body, limit: limit}
	return nil
}

// packed are the codings of a body that are not read. Other words in that header mean nothing.
var packed = []string{"compress", "br", "zstd"}

func refuseTooLarge(limit int64) error {
	return fault.New(fault.BodyTooLarge, "The request body is larger than %d bytes.", limit).With("limit", limit)
}

// body turns what goes wrong while reading into errors a client understands.
type body struct {
	io.ReadCloser
	limit int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF || errors.Is(err, fault.ErrSlow) { //nolint:errorlint // io.EOF is never wrapped by a reader
		return n, err
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return n, refuseTooLarge(b.limit)
	}
	if errors.Is(err, wire.ErrPacked) {
		return n, fault.NotPacked(err)
	}
	return n, fault.New(fault.InvalidRequestBody, "The request body ended before it was complete.").Because(err)
}

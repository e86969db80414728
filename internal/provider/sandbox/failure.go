package sandbox

import (
	"cmp"
	"context"
	"net/http"

	"stele/internal/chat"
	"stele/internal/fault"
)

// failures maps the statuses that can be ordered to the code whose status in the
// chat families is the same, or the nearest there is.
var failures = map[int]fault.Code{
	http.StatusBadRequest:            fault.InvalidParameter,
	http.StatusUnauthorized:          fault.InvalidAPIKey,
	http.StatusPaymentRequired:       fault.InsufficientCredits,
	http.StatusForbidden:             fault.PermissionDenied,
	http.StatusNotFound:              fault.ModelNotFound,
	http.StatusRequestTimeout:        fault.UpstreamTimeout,
	http.StatusConflict:              fault.IdempotencyConflict,
	http.StatusRequestEntityTooLarge: fault.BodyTooLarge,
	http.StatusUnprocessableEntity:   fault.InvalidParameter,
	http.StatusTooManyRequests:       fault.RateLimited,
	http.StatusInternalServerError:   fault.Internal,
	http.StatusBadGateway:            fault.UpstreamError,
	http.StatusServiceUnavailable:    fault.Unavailable,
	http.StatusGatewayTimeout:        fault.UpstreamTimeout,
	529:                              fault.Unavailable, // anthropic's own for being too busy
}

// failure is the error that was ordered. That it was ordered tells it from one
// that happened.
func (o *orders) failure() error {
	status := cmp.Or(o.status, http.StatusServiceUnavailable)
	return fault.New(failures[status], "The sandbox was ordered to fail with %d.", status).AsOrdered().After(o.retryAfter)
}

// breakError is what is seen of an upstream that is lost in the middle of its answer.
func breakError() error { return chat.BrokenError(chat.ErrCut).AsOrdered() }

// runBefore does what is ordered ahead of the first word.
func (o *orders) runBefore(ctx context.Context, pace *patience) error {
	if err := pace.wait(ctx, o.delay); err != nil {
		return err
	}
	switch {
	case o.silence, o.silenceAfter == 0:
		return pace.wait(ctx, forever)
	case o.status != 0 && o.failAfter <= 0, o.failAfter == 0:
		return o.failure()
	case o.cut == 0:
		return breakError()
	}
	return nil
}

// runDuring does what is ordered after so many chunks and words. Whatever is
// ordered happens before the end, even of a shorter answer.
func (o *orders) runDuring(ctx context.Context, pace *patience, chunks, words int, last bool) error {
	due := func(after, so int) bool { return after != never && (so >= after || last) }
	switch {
	case due(o.cut, chunks):
		return breakError()
	case due(o.failAfter, words):
		return o.failure()
	case due(o.silenceAfter, words):
		return pace.wait(ctx, forever)
	}
	return nil
}

package server

import (
	"net/http"
	"time"

	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/wire"
)

// What the long heads of all requests that are being served may take, and those of one
// address: a request keeps its head to its end, and no caller is known yet whose memory
// that could be.
const (
	headRoom    = 24 << 20
	lineWeight  = 64 // bytes that a line takes beside its own
	weighedFrom = shortHead
)

// heads counts what the heads of requests hold that are long.
type heads struct{ bytes *fair.Semaphore }

func newHeads() heads { return heads{fair.New(headRoom, fair.Half(headRoom))} }

// admit reports whether there is room for a request's head, which then counts until leave.
// Else it has answered, as it has where the head has more lines than the bounds.
func (h heads) admit(x *exchange, r *http.Request) bool {
	lines, weight := 0, int64(2*len(r.RequestURI)) // as it came, and as it was read
	for name, values := range r.Header {
		lines += len(values)
		for _, value := range values {
			weight += int64(len(name) + len(value) + lineWeight)
		}
	}
	switch {
	case lines > x.bounds.Headers:
		x.hasty = true
		http.Error(x, http.StatusText(http.StatusRequestHeaderFieldsTooLarge), http.StatusRequestHeaderFieldsTooLarge)
		return false
	case weight <= weighedFrom:
	case h.bytes.TryAcquire(x.address(), weight):
		x.head = weight
	default:
		x.hasty = true
		refuse(x, r, fault.New(fault.Unavailable, "Too many requests with long headers are being served just now: try again in a moment."))
		return false
	}
	return true
}

// leave notes that a request is over. net/http keeps the one it made until the connection is
// closed, half a second later where its client still sends: a long head goes before that.
func (h heads) leave(x *exchange, made *http.Request) {
	if x.head > 0 || x.hasty {
		made.Header = nil
	}
	if x.head > 0 {
		h.bytes.Release(x.address(), x.head)
		x.head = 0
	}
}

// address is what the connection of a request is counted by.
func (x *exchange) address() string {
	if x.conn == nil {
		return ""
	}
	at, _ := networkOf(x.conn.RemoteAddr())
	return at.String()
}

// refuse answers a request that there is no room for.
func refuse(x *exchange, r *http.Request, e *fault.Error) {
	x.Header().Set("Content-Type", "application/json; charset=utf-8")
	x.Header().Set("Cache-Control", "no-store")
	wire.SetRetryAfter(x.Header(), time.Second)
	x.WriteHeader(e.Status())
	_, _ = x.Write(e.Envelope(scope.From(r.Context()).ID))
}

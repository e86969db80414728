package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"stele/internal/fault"
)

// What a client says to the server in headers, and the server to its clients, is not lost
// where a request becomes another one: tags, a trace, switches, limits, costs.

// ourHeaders is how the server's own headers begin.
const ourHeaders = "X-Stele-"

var (
	headersUp   = []string{"Traceparent", "Tracestate"}
	headersDown = []string{"Retry-After", "Retry-After-Ms", "X-Should-Retry", "Www-Authenticate", "Deprecation", "Sunset", "Idempotency-Replayed"}
)

// carryUp takes over what is said to the server. A key that makes a request once belongs
// to the request that the server gets: the bridge may ask in two ways.
func carryUp(to, from http.Header, body []byte) {
	for name, list := range from {
		if strings.HasPrefix(name, ourHeaders) || slices.Contains(headersUp, name) {
			to[name] = list
		}
	}
	if key := from.Get("Idempotency-Key"); key != "" {
		sum := sha256.Sum256(append([]byte(key+"\x00"), body...))
		to.Set("Idempotency-Key", "bridge-"+hex.EncodeToString(sum[:]))
	}
}

// carryDown takes over what the server says. What was dropped is told with what the bridge
// itself drops.
func carryDown(to, from http.Header) {
	for name, list := range from {
		limits := strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit")
		if name != droppedHeader && (limits || strings.HasPrefix(name, ourHeaders) || slices.Contains(headersDown, name)) {
			to[name] = list
		}
	}
}

// isStrict reports whether a client would rather be refused than lose something.
func isStrict(h http.Header) bool {
	value := strings.ToLower(h.Get("X-Stele-Strict"))
	return value != "" && value != "false" && value != "0"
}

// refuseDropped refuses a strict request of which something is not carried.
func refuseDropped(h http.Header, dropped []string) error {
	if !isStrict(h) || len(dropped) == 0 {
		return nil
	}
	return fault.New(fault.StrictMode, "Strict mode: the bridge cannot carry all of the request: %s.", strings.Join(dropped[:min(len(dropped), mostNotes)], ", "))
}

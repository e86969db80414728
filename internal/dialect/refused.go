package dialect

import (
	"net/http"

	"stele/internal/fault"
)

// Statuses that have no name elsewhere.
const (
	overloaded = 529 // Anthropic is too busy
	noCapacity = 498 // so is Groq
	cancelled  = 499 // Google gave a call up that no client did
)

// ByStatus is what the status of an upstream's refusal means, where its words say
// nothing more: the same whichever dialect it speaks. Message is what it says for
// people, fit for the client; "" where it says nothing.
func ByStatus(status int, message string) *fault.Error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return BadCredentials()
	case http.StatusNotFound:
		if message != "" { // a page or nothing is of an address where no API is
			return fault.New(fault.ModelNotFound, "The model's provider does not have this model.")
		}
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, 524: // 524 is Cloudflare's
		return fault.New(fault.UpstreamTimeout, "The model's provider took too long.")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.BodyTooLarge, "The request is too large for the model's provider.")
	case http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "The model's provider is limiting requests.")
	case http.StatusConflict, http.StatusTooEarly, http.StatusServiceUnavailable, overloaded, noCapacity, cancelled:
		return fault.New(fault.Unavailable, "The model's provider is overloaded.").With("reason", "server_is_overloaded")
	case http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType: // of an address that is no model's
	default:
		if status >= http.StatusBadRequest && status < http.StatusInternalServerError && message != "" {
			return fault.New(fault.InvalidParameter, "%s", message)
		}
	}
	return fault.New(fault.UpstreamError, "The model's provider failed.")
}

package dialect

import (
	"net/http"
	"slices"
	"strings"

	"stele/internal/fault"
)

// Statuses that have no name elsewhere.
const (
	overloaded = 529 // Anthropic is too busy
	noCapacity = 498 // so is Groq
	retryWith  = 449 // iFlow is limiting requests
	cancelled  = 499 // Google gave a call up that no client did
)

// ByStatus is what the status of an upstream's refusal means, where its words say
// nothing more: the same whichever dialect it speaks. Message is what it says for
// people, fit for the client; "" where it says nothing.
func ByStatus(status int, message string) *fault.Error {
	switch status {
	case http.StatusForbidden:
		return toForbidden(message)
	case http.StatusUnauthorized, http.StatusPaymentRequired:
		return BadCredentials()
	case http.StatusNotFound:
		if message != "" { // a page or nothing is of an address where no API is
			return fault.New(fault.ModelNotFound, "The model's provider does not have this model.")
		}
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, 524: // 524 is Cloudflare's
		return fault.New(fault.UpstreamTimeout, "The model's provider took too long.")
	case http.StatusRequestEntityTooLarge:
		e := fault.New(fault.BodyTooLarge, "The request is too large for the model's provider.")
		e.Elsewhere = true
		return e
	case http.StatusTooManyRequests, retryWith:
		return fault.New(fault.RateLimited, "The model's provider is limiting requests.")
	case http.StatusConflict, http.StatusTooEarly, http.StatusServiceUnavailable, overloaded, noCapacity, cancelled:
		return fault.New(fault.Unavailable, "The model's provider is overloaded.").With("reason", "server_is_overloaded")
	case http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType: // of an address that is no model's
	case http.StatusFailedDependency: // the model failed, and not the request: Amazon's, Hugging Face's
	default:
		if status >= http.StatusBadRequest && status < http.StatusInternalServerError && message != "" {
			if isClosed(message) {
				return BadCredentials()
			}
			if begins(message, brokenBeginnings) {
				break // as any server that failed
			}
			return fault.New(fault.InvalidParameter, "%s", message)
		}
	}
	return fault.New(fault.UpstreamError, "The model's provider failed.")
}

// What upstreams say with 403 that is not about the operator's key. A client that can make a
// provider look as if it had refused the installation could close it to all others.
var (
	// The request is what they do not take: xAI's check of contents, OpenRouter's moderation,
	// Mistral's guardrails, OpenAI's block of an end user.
	ofContent = []string{
		"content violates", "failed check", "requires moderation", "was flagged", "flagged by", "guardrail", "content moderation",
		"content policy", "content_policy", "content filter", "content_filter", "identifier blocked", "identifier_blocked",
	}
	// What the request names is another's, or is gone: Google's files, objects and caches.
	ofThings = []string{"access the file", "storage.objects", "cachedcontent not found", "cached content not found"}
	// The account has no such model, and may have others: OpenAI's projects, Groq's permissions, Amazon.
	ofModels = []string{"not have access to model", "n't have access to the model", "not have access to the model", "blocked at the organization level", "blocked at the project level"}
	// The model behind is offered no caching, which a mark in the request asks for: Amazon.
	ofCaching = []string{"allow prompt caching"}
	// And these are about the account after all.
	ofAccounts = []string{"your account", "your organization", "suspended", "disabled", "restricted"}
)

// filtered is how upstreams say with 400 that what a request says is the reason: OpenAI and Azure, Anthropic, Alibaba, DeepSeek,
// Zhipu, Moonshot, MiniMax, New API.
var filtered = []string{
	"content_filter", "content_policy", "content management policy", "invalid_prompt", "content filtering policy", "data_inspection_failed", "datainspectionfailed",
	"content exists risk", "unsafe or sensitive content", "considered high risk", "new_sensitive", "sensitive_words_detected",
}

// WithFilterReason is a refusal of a request with the reason that it is what the request says, if its words, with its type and code, are so.
func WithFilterReason(e *fault.Error, words string) *fault.Error {
	if e.Code == fault.InvalidParameter && Says(words, filtered...) {
		return e.With("reason", "content_policy_violation")
	}
	return e
}

// toForbidden says what a 403 means, by what it says.
func toForbidden(message string) *fault.Error {
	words := strings.ToLower(message)
	says := func(signs []string) bool {
		return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(words, sign) })
	}
	switch {
	case says(ofModels):
		return ByStatus(http.StatusNotFound, message)
	case says(ofThings), says(ofCaching):
		return ByStatus(http.StatusBadRequest, message)
	case says(ofContent) && !says(ofAccounts):
		return ByStatus(http.StatusBadRequest, message).With("reason", "content_policy_violation")
	}
	return BadCredentials()
}

// isClosed reports whether a refusal says that the operator's account is closed, or good for something else, which
// Anthropic and Groq do with 400, or that its server stands where Google serves nobody, or nobody for nothing. What else a sentence
// says may be the client's words: only how it begins counts.
func isClosed(message string) bool {
	return begins(strings.TrimPrefix(strings.ToLower(message), "this "), closedBeginnings)
}

// begins reports whether a sentence begins with one of the signs, in any case.
func begins(message string, signs []string) bool {
	words := strings.ToLower(message)
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.HasPrefix(words, sign) })
}

// brokenBeginnings are how LM Studio and oMLX begin to say, with 400, that the model or the machine is the reason.
var brokenBeginnings = []string{"prefill would require", "omlx prefill memory guard", "failed to load model", "the model has crashed", "model unloaded", "model is unloaded"}

var closedBeginnings = []string{
	"user location is not supported", "gemini api free tier is not available", "organization has been disabled", "organization has been restricted",
	"credential is only authorized for",
}

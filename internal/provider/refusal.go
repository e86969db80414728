package provider

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// toRefusal is what an upstream's refusal means. A cloud words it in its own way.
func (c *Chat) toRefusal(status int, header http.Header, body []byte) *fault.Error {
	if status == http.StatusUnauthorized {
		c.dropProof()
	}
	body = takeEvent(body)
	switch c.account.Kind.Platform {
	case amazon:
		status, body = bedrockRefusal(status, header, body)
	case google:
		body = googleRefusal(status, body)
	case noPlatform:
	}
	if status == http.StatusForbidden && isProxys(header, body) {
		return fault.New(fault.UpstreamError, "A proxy before the model's provider refused the call.").Because(dialect.Cause(status, body))
	}
	return c.dialect.DecodeError(status, header, body)
}

// takeEvent is a refusal without the event that servers put around it where a stream was asked for.
func takeEvent(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte("data:")) && !bytes.HasPrefix(body, []byte("event:")) && !bytes.HasPrefix(body, []byte("id:")) {
		return body
	}
	frame, _ := wire.Cut(append(slices.Clip(body), "\n\n"...))
	return frame.Data
}

// isProxys reports whether a refusal is that of a proxy before an API, and not the API's own: a
// page for browsers, or Cloudflare's object. Such a proxy looks at what a request says, so that
// its 403 is no word about the operator's key.
func isProxys(header http.Header, body []byte) bool {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if strings.EqualFold(strings.TrimSpace(kind), "text/html") || bytes.HasPrefix(bytes.TrimSpace(body), []byte{'<'}) {
		return true
	}
	cloudflare, _ := jsonscan.At(body, 0).Get("cloudflare_error").Bool()
	return cloudflare
}

// bedrockRefusal is a refusal of Amazon's in the words of Anthropic's dialect.
func bedrockRefusal(status int, header http.Header, body []byte) (int, []byte) {
	name, _, _ := strings.Cut(header.Get("X-Amzn-Errortype"), ":")
	body = bedrockError(name, body)
	switch kind := jsonscan.At(body, 0).Get("error", "type").View(); {
	case kind == "not_found_error":
		status = http.StatusNotFound
	case kind == "rate_limit_error":
		status = http.StatusTooManyRequests
	case kind == "overloaded_error":
		status = http.StatusServiceUnavailable
	case status == http.StatusFailedDependency: // the model failed, not the request
		status = http.StatusBadGateway
	}
	return status, body
}

// googleRefusal takes Google's own refusal of another's model out of its list,
// and calls a missing model what the dialect calls it. What the model's author
// says passes as it is; so do all words about Google's own models.
func googleRefusal(status int, body []byte) []byte {
	root := jsonscan.At(body, 0)
	if root.Kind() == jsonscan.Array {
		root = root.Index(0)
	}
	if status != http.StatusNotFound || !root.Get("error", "status").Exists() {
		if !root.Exists() {
			return body
		}
		return root.Raw()
	}
	said := dialect.AppendText([]byte(`{"type":"error","error":{"type":"not_found_error","code":404,"status":"NOT_FOUND","message":`),
		"no such model: "+root.Get("error", "message").View())
	return append(said, "}}"...)
}

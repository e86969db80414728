package bridge

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

const (
	object = jsonscan.Object
	array  = jsonscan.Array

	jsonType = "application/json; charset=utf-8"
)

// shaper puts an error into the shape of a family of clients.
type shaper interface {
	EncodeError(e *fault.Error, requestID string) (status int, body []byte)
}

// shaperOf is the one of the client that asks.
func shaperOf(c *call) shaper {
	switch {
	case within(c.path, "/v1beta"):
		return gemini.Codec{}
	case within(c.path, "/v1/messages"), len(c.Header.Values("Anthropic-Version")) > 0:
		return anthropic.Codec{}
	}
	return openai.Codec{}
}

// fail answers with an error, unless an answer is under way: that one breaks off.
func fail(w *written, c *call, err error) {
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	e := fault.From(err)
	status, body := shaperOf(c).EncodeError(e, c.id)
	wire.SetRetryAfter(w.Header(), e.RetryAfter)
	if e.Lasting() {
		w.Header().Set("X-Should-Retry", "false")
	}
	answerJSON(w, status, body)
}

// isCodex reports whether a client is Codex.
func isCodex(h http.Header) bool {
	return strings.HasPrefix(h.Get("Originator"), "codex") || strings.HasPrefix(h.Get("User-Agent"), "codex")
}

// finalFor is the status that tells Codex what trying again would not change. It looks at no header and tries
// five times more, for half a minute, whatever is refused with another status than 400: a wrong key, a model that is not there.
func finalFor(status int, h http.Header) int {
	switch status {
	case http.StatusTooManyRequests, http.StatusUpgradeRequired: // it knows what these mean
		return status
	}
	if status > http.StatusBadRequest && status < http.StatusInternalServerError && h.Get("X-Should-Retry") == "false" {
		return http.StatusBadRequest
	}
	return status
}

func answerJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone: nothing is left to tell it
}

// refuseUnreachable says that the server could not be asked.
func (b *Bridge) refuseUnreachable(err error) error {
	b.Log.Warn("the server was not reached", slog.String("server", b.Server), slog.Any("error", err))
	return fault.New(fault.UpstreamError, "The Stele server at %s was not reached.", b.Server).Because(err)
}

// refuseUnserved says that there is no such route below one that there is.
func refuseUnserved(c *call) error {
	return fault.New(fault.NotFound, "The bridge does not serve %s %s.", c.Method, c.path)
}

// refuseValue refuses the value of a field.
func refuseValue(field, want string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s must be %s.", field, want).With("field", field)
}

// refuseMissing refuses to go without a field.
func refuseMissing(field string) *fault.Error {
	return fault.New(fault.MissingParameter, "%s is missing.", field).With("field", field)
}

// refuse names something that cannot be carried, and why.
func refuse(field, why string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s: %s.", field, why).With("field", field)
}

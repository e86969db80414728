package bridge

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/dialect"
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

// longestWait is how long Codex is told to wait for its turn: a longer wait is for its user to hear of.
const longestWait = time.Minute

// inStream reports whether a refusal is told in the stream that was asked for, and how. OpenAI's own service tells there
// that a conversation is too long, and only there Codex takes it as the word to make it shorter. Codex gives up at once on a
// 429, and waits for what a stream tells it of the time until it may go on.
func inStream(c *call, answered *http.Response, refusal []byte) ([]byte, bool) {
	refused := jsonscan.Root(refusal).Get("error")
	if refused.Get("code").View() == "context_length_exceeded" {
		return refusal, true
	}
	wait, told := wire.RetryAfter(answered.Header)
	if !isCodex(c.Header) || answered.StatusCode != http.StatusTooManyRequests || answered.Header.Get("X-Should-Retry") == "false" || !told || wait > longestWait {
		return nil, false
	}
	var w jsonscan.Writer
	w.Open(object).Key("error").Open(object).Key("type").Text(text(refused.Get("type"))).Key("code").Plain("rate_limit_exceeded")
	w.Key("message").Text(text(refused.Get("message")) + " Please try again in " + strconv.FormatFloat(wait.Seconds(), 'f', -1, 64) + "s.")
	return w.Close(object).Close(object).Bytes(), true
}

// strangeRefusal is what a client gets of a refusal that is not the server's: a page or the JSON of a proxy that stands before it.
func strangeRefusal(status int, root jsonscan.Value) []byte {
	said := "nothing that can be read"
	if _, message := dialect.Complaint(root); message != "" {
		said = dialect.Sentence(message)
	}
	code := fault.UpstreamError
	switch {
	case status == http.StatusTooManyRequests:
		code = fault.RateLimited
	case status < http.StatusInternalServerError:
		code = fault.InvalidParameter
	}
	e := fault.New(code, "What stands before the Stele server answered with status %d: %s.", status, strings.TrimSuffix(said, "."))
	_, body := openai.Codec{}.EncodeError(e, "")
	return body
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

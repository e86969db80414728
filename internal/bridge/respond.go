package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

const (
	keepAliveTime = 15 * time.Second // a stream may be silent before it shows that it lives
	eventOf       = 4                // one of so many signs of life is an event
)

// respond answers POST /v1/responses. The server is always asked for a stream: a client
// that wants the answer whole gets what its last event would hold.
func (b *Bridge) respond(w http.ResponseWriter, c *call) error {
	o, err := b.readRequest(w, c)
	if err != nil {
		return err
	}
	o.codex = isCodex(c.Header)
	if o.background {
		return b.respondLater(w, c, o)
	}
	answered, err := b.askThinking(c, o)
	if err != nil {
		return err
	}
	defer answered.Body.Close()
	defer func() { c.dropped = o.inWords() }()
	carryDown(w.Header(), answered.Header)
	o.takeDropped(answered.Header)
	o.tellDropped(w.Header(), droppedHeader)
	if answered.StatusCode != http.StatusOK {
		refusal, err := io.ReadAll(io.LimitReader(answered.Body, mostRefusal))
		if err != nil {
			return errCutShort
		}
		refusal = inOwnWords(answered.StatusCode, refusal, o.paths)
		told, ok := inStream(c, answered, refusal)
		if !o.stream || !ok {
			passRefusal(w, answered, refusal)
			return nil
		}
		answered.Body = io.NopCloser(bytes.NewReader(asEvent(told)))
	}
	if o.stream {
		return b.stream(w, o, answered)
	}
	return b.tellWhole(w, o, answered)
}

// ask asks the server's chat route.
func (b *Bridge) ask(ctx context.Context, c *call, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.Server+"/api/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+b.Key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", wire.EventStream)
	r.Header.Set(dialect.Reworded, "true")
	r.Header.Set("X-Request-Id", c.id)
	carryUp(r.Header, c.Header, body)
	r.Header.Set("User-Agent", strings.TrimSpace(c.UserAgent()+" stele-bridge"))
	answered, err := b.Client.Do(r)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, b.refuseUnreachable(err)
	}
	return answered, nil
}

// stream tells an answer as events.
func (b *Bridge) stream(w http.ResponseWriter, o *request, answered *http.Response) error {
	a := newAnswer(o)
	a.out = wire.NewEventWriter(w, wire.EventStream, keepAliveTime, a.signOfLife)
	defer a.out.Stop()
	err := a.begin()
	if err == nil {
		err = a.follow(answered.Body)
	}
	if errors.Is(err, wire.ErrGone) {
		return nil
	}
	response, status, err := a.finish(err)
	if err != nil {
		return nil //nolint:nilerr // the client is gone: nothing is left to tell it
	}
	if o.hearEnd(answered); strings.Join(o.notes(), ", ") != w.Header().Get(droppedHeader) {
		o.tellDropped(w.Header(), http.TrailerPrefix+droppedHeader)
	}
	b.keep(a, response, status)
	return nil
}

// tellWhole tells an answer when it is whole.
func (b *Bridge) tellWhole(w http.ResponseWriter, o *request, answered *http.Response) error {
	a := newAnswer(o)
	err := a.follow(answered.Body)
	response, status, _ := a.finish(err)
	o.hearEnd(answered)
	o.tellDropped(w.Header(), droppedHeader)
	if err != nil {
		tellFailure(w, err)
		return nil
	}
	b.keep(a, response, status)
	answerJSON(w, http.StatusOK, response)
	return nil
}

// tellFailure answers with what the server told in its stream.
func tellFailure(w http.ResponseWriter, err error) {
	failed := failureOf(err)
	var e jsonscan.Writer
	e.Open(object).Key("error").Open(object).Key("message").Text(failed.message).Key("type").Text(failed.kind)
	e.Key("param").Null().Key("code").Text(failed.code).Close(object).Close(object)
	status, lasting := statusOf(failed.code)
	if lasting {
		w.Header().Set("X-Should-Retry", "false")
	}
	answerJSON(w, status, e.Bytes())
}

// statuses are those of errors that the server told when its own status was out already, by
// OpenAI's own words for them.
var statuses = map[string]int{
	"context_length_exceeded": http.StatusBadRequest, "content_policy_violation": http.StatusBadRequest, tooLong: http.StatusBadRequest,
	"rate_limit_exceeded": http.StatusTooManyRequests, "insufficient_quota": http.StatusTooManyRequests, "server_is_overloaded": http.StatusServiceUnavailable,
}

// statusOf is the status of an error that was told in a stream, as it would have been before
// the first word, and whether the same request would fail so again: clients send again what
// comes with a status of a server's fault, and what is wrong with the request stays wrong.
func statusOf(code string) (status int, lasting bool) {
	if status, ok := statuses[code]; ok {
		return status, status == http.StatusBadRequest
	}
	if known := fault.Code(code); slices.Contains(fault.Codes(), known) {
		return known.ChatStatus(), (&fault.Error{Code: known}).Lasting()
	}
	return http.StatusBadGateway, false
}

// keep keeps a response that later ones may refer to, and goes on with its conversation.
func (b *Bridge) keep(a *answer, response []byte, status string) {
	if status == "failed" {
		return
	}
	if a.shortens { // what comes after it goes on from the summary, not from what that stands for
		a.previous, a.before, a.input = "", nil, nil
	}
	var errs []error
	if a.thread != "" {
		errs = append(errs, b.Kept.Append(a.thread, a.newItems()))
	}
	if a.store {
		errs = append(errs, b.Kept.Put(&Response{ID: a.id, Previous: a.previous, Thread: a.thread, Before: a.before, Input: a.input, Output: a.items, Body: response}))
	}
	if err := errors.Join(errs...); err != nil {
		b.Log.Warn("a response was not written down", "error", err)
	}
}

// newItems are what a response adds to its conversation.
func (a *answer) newItems() [][]byte {
	return append(askedItems(a.id, a.input), a.items...)
}

// mostRefusal is how much of a refusal is read.
const mostRefusal = 1 << 20

// refuseAs answers with the server's refusal.
func refuseAs(w http.ResponseWriter, answered *http.Response) error {
	refusal, err := io.ReadAll(io.LimitReader(answered.Body, mostRefusal))
	if err != nil {
		return errCutShort
	}
	passRefusal(w, answered, inOwnWords(answered.StatusCode, refusal, nil))
	return nil
}

// passRefusal answers with the server's own refusal, which is in OpenAI's shape.
func passRefusal(w http.ResponseWriter, answered *http.Response, refusal []byte) {
	carryDown(w.Header(), answered.Header)
	answerJSON(w, answered.StatusCode, refusal)
}

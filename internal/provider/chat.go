package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/relay"
)

const (
	mostAnswer = 64 << 20 // bytes of a whole answer, or of one frame of a stream
	mostError  = 64 << 10 // bytes that are read of a refusal
)

// Headers of every call, shared because nobody changes them.
var (
	jsonType  = []string{"application/json"}
	identity  = []string{"identity"}
	userAgent = []string{"stele"}
)

// Chat is one account at an upstream that speaks a chat dialect. It is safe for
// concurrent use.
type Chat struct {
	account Account
	dialect dialect.Dialect
	client  *http.Client
	paths   paths
	signer  signer   // nil: the key is all
	private []string // of the operator's, which refusals may name
}

// NewChat makes the client of an account that has no options. The HTTP client
// must be guard's.
func NewChat(a Account, d dialect.Dialect, client *http.Client) *Chat {
	return &Chat{account: a, dialect: d, client: client, private: private(a)}
}

var _ relay.Upstream = (*Chat)(nil)

// Dialect is what the upstream speaks.
func (c *Chat) Dialect() string { return c.dialect.Name() }

// ask makes one call. It returns when the answer is there, or its first frame.
func (c *Chat) ask(ctx context.Context, req *chat.Request, t relay.Target, m manner) (*chat.Reply, error) {
	reply := &chat.Reply{Dialect: c.dialect.Name(), Provider: c.account.Name, Target: t.Model, Passed: c.passes(req)}
	call, err := c.call(req, t, m)
	if err != nil {
		return nil, err
	}
	reply.Dropped = call.Losses
	if err := strict(req, call.Losses); err != nil {
		return nil, err
	}
	if !t.Hidden {
		reply.Served = c.account.Name + "/" + t.Model
	}
	x := &exchange{dog: watch(ctx, t.Timeouts), call: call, reply: reply, target: t, req: req}
	if x.answer, err = c.send(x.dog.ctx, call); err == nil { //nolint:bodyclose // close does it
		if req.Stream {
			err = c.stream(x)
		} else {
			err = c.whole(x)
		}
	}
	if err != nil {
		err = c.discreet(x.dog.explain(err))
		x.close()
		return nil, err
	}
	return reply, nil
}

// call puts the request into the upstream's words, or leaves it in the client's
// where those are the same.
func (c *Chat) call(req *chat.Request, t relay.Target, m manner) (dialect.Call, error) {
	target := dialect.Target{
		Model: t.Model, Stream: req.Stream, Compatible: !c.account.Kind.Author(), Schemaless: c.account.Kind.Schemaless,
		Proof: c.proof(req.Origin.Dialect, t.Model), Resume: m.resume, Forget: m.forget,
	}
	pass := c.passes(req)
	if pass {
		call, err := c.dialect.PassRequest(req, target)
		call.Losses = append(call.Losses, req.Lost...)
		return c.reshape(call, target, pass), err
	}
	talk, err := req.Conversation()
	if err != nil {
		return dialect.Call{}, err
	}
	var forgotten []chat.Loss
	if m.forget {
		talk, forgotten = thoughtless(talk)
	}
	call, err := c.dialect.EncodeRequest(talk, target)
	call.Losses = slices.Concat(talk.Notes, forgotten, call.Losses)
	return c.reshape(call, target, pass), err
}

// proof gives back a signature that this very account and model made. One that
// is in no envelope came straight from an upstream of the client's own dialect.
func (c *Chat) proof(client, model string) func(string) (string, bool) {
	return func(text string) (string, bool) {
		e, wrapped := chat.Unwrap(text)
		if !wrapped {
			return text, client == c.dialect.Name()
		}
		return e.Raw, e.Dialect == c.dialect.Name() && e.Provider == c.account.Name && e.Model == model
	}
}

// send makes the one HTTP call and turns every refusal into an error.
func (c *Chat) send(ctx context.Context, call dialect.Call) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.account.BaseURL+call.Path, bytes.NewReader(call.Body))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.account.Name, err)
	}
	maps.Copy(r.Header, call.Header)
	r.Header["Content-Type"] = jsonType
	r.Header["Accept-Encoding"] = identity
	r.Header["User-Agent"] = userAgent
	if err := c.authorize(ctx, r, call.Body); err != nil {
		return nil, err
	}
	answer, err := c.carry(r)
	if err != nil {
		return nil, unreachable(err)
	}
	if strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		unpacked, err := gzip.NewReader(answer.Body)
		if err != nil {
			_ = answer.Body.Close()
			return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(err)
		}
		answer.Body, answer.ContentLength = readCloser{unpacked, answer.Body}, -1
	}
	if answer.StatusCode/100 == 2 {
		unframe(answer)
		return answer, nil
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, mostError))
	return nil, c.refused(answer.StatusCode, answer.Header, body)
}

// carry sends a request and returns its answer. Guard's client follows no redirect
// and keeps no cookies, so that its transport does all there is to do, but for a
// password in the address.
func (c *Chat) carry(r *http.Request) (*http.Response, error) {
	if t := c.client.Transport; t != nil && r.URL.User == nil {
		return t.RoundTrip(r)
	}
	return c.client.Do(r)
}

// exchange is one call that was answered.
type exchange struct {
	dog    *watchdog
	answer *http.Response
	call   dialect.Call
	reply  *chat.Reply
	target relay.Target
	req    *chat.Request
}

// close ends the call, answered or not.
func (x *exchange) close() {
	if x.answer != nil {
		_ = x.answer.Body.Close()
	}
	x.dog.stop()
}

// whole reads a whole answer, even if it comes as a stream nobody asked for.
func (c *Chat) whole(x *exchange) error {
	if contentType(x.answer) == "text/event-stream" {
		x.reply.Passed = false
		response, err := chat.Collect(chat.Cut(chat.Tidy(c.source(x, new(chat.Seen)).all()), x.call.Stops))
		if err != nil {
			return err
		}
		x.reply.Response = response
		x.close()
		return nil
	}
	body, err := readAll(x)
	if err != nil {
		return err
	}
	x.close()
	if !x.reply.Passed || x.target.Watched {
		x.reply.Response, err = c.dialect.DecodeResponse(body)
	} else {
		x.reply.Response, err = c.dialect.CountResponse(body)
	}
	if err != nil {
		return err
	}
	if !x.reply.Passed {
		c.finish(x)
		return nil
	}
	if !x.reply.Response.Usage.Known { // it is counted by what it says then
		if said, err := c.dialect.DecodeResponse(body); err == nil {
			x.reply.Response = said
		}
	}
	if x.target.Rename {
		body = c.dialect.Rename(body, x.req.Model)
	}
	x.reply.Raw = body
	return nil
}

// readAll reads a body that may say how long it is, within bounds. One that does
// not is gathered in pieces: whatever turns out to be too long was never copied.
func readAll(x *exchange) ([]byte, error) {
	if x.answer.ContentLength > mostAnswer {
		return nil, errTooLong()
	}
	const longestPiece = 4 << 20
	var full [][]byte
	piece := make([]byte, 0, max(x.answer.ContentLength, 0)+bytes.MinRead)
	for total := 0; ; {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(2*cap(piece), longestPiece))
		}
		n, err := x.answer.Body.Read(piece[len(piece):cap(piece)])
		if n > 0 {
			x.dog.fed()
		}
		piece = piece[:len(piece)+n]
		switch total += n; {
		case total > mostAnswer:
			return nil, errTooLong()
		case err == io.EOF && full == nil: //nolint:errorlint // as readers return it
			return piece, nil
		case err == io.EOF: //nolint:errorlint // as readers return it
			return slices.Concat(append(full, piece)...), nil
		case err != nil:
			return nil, broken(err)
		}
	}
}

func errTooLong() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent more than can be taken.")
}

func contentType(answer *http.Response) string {
	said := answer.Header.Get("Content-Type")
	if said == "text/event-stream" || said == "application/json" { // as nearly all say it
		return said
	}
	kind, _, _ := mime.ParseMediaType(said)
	return kind
}

// readCloser reads from one and closes the other.
type readCloser struct {
	io.Reader
	io.Closer
}

// strictError says that a strict request would have lost something.
type strictError struct{ losses []chat.Loss }

func (e *strictError) Error() string { return fmt.Sprintf("strict mode: %d losses", len(e.losses)) }

// Losses is what would have been lost.
func (e *strictError) Losses() []chat.Loss { return e.losses }

func strict(req *chat.Request, losses []chat.Loss) error {
	if !req.Strict {
		return nil
	}
	var refused []chat.Loss
	for _, l := range losses {
		if l.Verb != chat.Ignored {
			refused = append(refused, l)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &strictError{refused}
}

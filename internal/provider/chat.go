package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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

// Account is what the operator has at an upstream.
type Account struct {
	Name    string
	Kind    Kind
	BaseURL string // without a slash at the end
	Key     string
}

// Chat is one account at an upstream that speaks a chat dialect. It is safe for
// concurrent use.
type Chat struct {
	account Account
	dialect dialect.Dialect
	client  *http.Client
}

// NewChat makes the client of an account. The HTTP client must be guard's.
func NewChat(a Account, d dialect.Dialect, client *http.Client) *Chat {
	return &Chat{account: a, dialect: d, client: client}
}

var _ relay.Upstream = (*Chat)(nil)

// Dialect is what the upstream speaks.
func (c *Chat) Dialect() string { return c.dialect.Name() }

// Do asks the upstream. It returns when the answer is there, or its first frame.
func (c *Chat) Do(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	reply := &chat.Reply{Dialect: c.dialect.Name(), Provider: c.account.Name, Target: t.Model}
	// A request that was changed on the way is no longer the client's bytes.
	reply.Passed = req.Origin.Dialect == reply.Dialect && req.Origin.Body != nil && !req.Origin.Unframed
	call, err := c.call(req, t, reply.Passed)
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
	dog := watch(ctx, t.Timeouts)
	answer, err := c.send(dog.ctx, call)
	if err != nil {
		dog.stop()
		return nil, dog.explain(err)
	}
	if req.Stream {
		err = c.stream(&exchange{dog, answer, call, reply, t, req})
	} else {
		err = c.whole(&exchange{dog, answer, call, reply, t, req})
	}
	if err != nil {
		_ = answer.Body.Close()
		dog.stop()
		return nil, dog.explain(err)
	}
	return reply, nil
}

// call puts the request into the upstream's words, or leaves it in the client's
// where those are the same.
func (c *Chat) call(req *chat.Request, t relay.Target, pass bool) (dialect.Call, error) {
	target := dialect.Target{
		Model: t.Model, Stream: req.Stream, Compatible: !c.account.Kind.Author(),
		Proof: c.proof(req.Origin.Dialect, t.Model),
	}
	if pass {
		return c.dialect.PassRequest(req, target)
	}
	talk, err := req.Conversation()
	if err != nil {
		return dialect.Call{}, err
	}
	call, err := c.dialect.EncodeRequest(talk, target)
	call.Losses = append(append([]chat.Loss(nil), talk.Notes...), call.Losses...)
	return call, err
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
	for name, values := range call.Header {
		r.Header[name] = values
	}
	r.Header["Content-Type"] = jsonType
	r.Header["Accept-Encoding"] = identity
	r.Header["User-Agent"] = userAgent
	c.authorize(r)
	answer, err := c.client.Do(r)
	if err != nil {
		return nil, fault.New(fault.UpstreamError, "The model's provider could not be reached.").Because(err)
	}
	if strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		unpacked, err := gzip.NewReader(answer.Body)
		if err != nil {
			_ = answer.Body.Close()
			return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(err)
		}
		answer.Body = readCloser{unpacked, answer.Body}
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, mostError))
	return nil, c.dialect.DecodeError(answer.StatusCode, answer.Header, body)
}

func (c *Chat) authorize(r *http.Request) {
	if c.account.Key == "" {
		return
	}
	if header := c.account.Kind.Auth; header != "" {
		r.Header.Set(header, c.account.Key)
		return
	}
	r.Header.Set("Authorization", "Bearer "+c.account.Key)
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

// whole reads a whole answer, even if it comes as a stream nobody asked for.
func (c *Chat) whole(x *exchange) error {
	defer x.dog.stop()
	defer x.answer.Body.Close()
	if contentType(x.answer) == "text/event-stream" {
		x.reply.Passed = false
		response, err := chat.Collect(chat.Cut(chat.Tidy(c.source(x, new(chat.Seen)).all()), x.call.Stops))
		x.reply.Response = response
		return err
	}
	body, err := readAll(x.answer)
	if err != nil {
		return err
	}
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
	if x.target.Rename {
		body = c.dialect.Rename(body, x.req.Model)
	}
	x.reply.Raw = body
	return nil
}

// readAll reads a body that may say how long it is, within bounds.
func readAll(answer *http.Response) ([]byte, error) {
	if answer.ContentLength > mostAnswer {
		return nil, errTooLong()
	}
	var b bytes.Buffer
	b.Grow(int(max(answer.ContentLength, 0)) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(answer.Body, mostAnswer+1))
	if err != nil {
		return nil, fault.New(fault.UpstreamError, "The model's provider broke off in its answer.").Because(err)
	}
	if n > mostAnswer {
		return nil, errTooLong()
	}
	return b.Bytes(), nil
}

func errTooLong() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent more than can be taken.")
}

func contentType(answer *http.Response) string {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
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

// gone reports whether an error is the client's own hanging up.
func gone(err error) bool { return errors.Is(err, context.Canceled) }

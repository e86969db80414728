package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/memory"
	"stele/internal/relay"
	"stele/internal/scope"
	"stele/internal/trace"
	"stele/internal/wire"
)

const (
	mostAnswer = 64 << 20 // bytes of a whole answer, or of one frame of a stream
	mostError  = 64 << 10 // bytes that are read of a refusal
)

// Headers of every call, shared because they are never changed.
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
	authors bool     // as the account says

	addresses AddressChecker // nil: the upstream fetches what it likes

	asked atomic.Pointer[endpoint] // the last time: two of the dialects have one path for all
}

// endpoint is where calls of a path go.
type endpoint struct {
	path    string
	request *http.Request // one without a body, as a pattern: calls share its address and header
}

// NewChat makes the client of an account that has no options. The HTTP client
// must be guard's.
func NewChat(a Account, d dialect.Dialect, client *http.Client) *Chat {
	return &Chat{account: a, dialect: d, client: client, private: privateTexts(a), authors: a.authors()}
}

var _ relay.Upstream = (*Chat)(nil)

// Dialect is what the upstream speaks.
func (c *Chat) Dialect() string { return c.dialect.Name() }

// ask makes one call. It returns when the answer is there, or its first frame.
func (c *Chat) ask(ctx context.Context, req *chat.Request, t relay.Target, m *attempt) (*chat.Reply, error) {
	reply := &chat.Reply{Dialect: c.dialect.Name(), Provider: c.account.Name, Target: t.Model, Passed: req.PassesTo(c.dialect.Name())}
	call, held, err := c.encode(ctx, req, t, *m)
	if err != nil {
		held.close()
		return nil, err
	}
	reply.Dropped = call.Losses
	if err := req.Accept(call.Losses); err != nil {
		held.close()
		return nil, err
	}
	if err := c.checkAddresses(ctx, req, &call.Outgoing); err != nil {
		held.close()
		return nil, err
	}
	if m.repeats(&call.Outgoing) {
		held.close()
		return nil, m.why
	}
	if !t.Hidden {
		reply.Served = c.account.Name + "/" + t.Model
	}
	x := &exchange{resumes: m.resumes, dog: watch(ctx, t.Timeouts), call: call.Outgoing, reply: reply, target: t, req: req, portion: held}
	if x.answer, err = c.send(x.dog.ctx, call); err == nil { //nolint:bodyclose // close does it
		if req.Stream {
			err = c.stream(x)
		} else {
			err = c.readWhole(x)
		}
	}
	if err != nil {
		err = c.hidePrivate(x.dog.explain(err))
		x.close()
		m.last, m.why = &x.call, err
		return nil, err
	}
	m.last = nil
	return reply, nil
}

// encode puts the request into the upstream's words, or leaves it in the client's
// where those are the same.
func (c *Chat) encode(ctx context.Context, req *chat.Request, t relay.Target, m attempt) (_ outgoing, held *portion, err error) {
	target := dialect.Upstream{
		Model: t.Model, Stream: req.Stream, Compatible: !c.authors, Schemaless: c.account.Kind.Schemaless, Marks: c.account.Kind.Marks && !slices.Contains(m.refused, dialect.CacheMarks), Pictures: c.account.Kind.Pictures,
		Nameless: c.account.Kind.Nameless, Choiceless: c.account.Kind.Choiceless, Efforts: c.account.Kind.Efforts, Threadless: !c.isHome(),
		Proof: c.proof(req.Origin.Dialect, t.Model), Resume: m.resume, MaxOutput: cmp.Or(m.room, t.MostOutput),
		Forget: m.has(fault.WithoutThoughts), Remind: m.has(fault.WithThoughts), Unenforced: m.has(fault.Unenforced),
		SystemFirst: m.has(fault.SystemFirst), Bridge: m.has(fault.InTurns), Plain: m.has(fault.Plain), Loose: m.has(fault.Loose), Beside: m.has(fault.Beside), Worded: m.has(fault.Worded), Refused: m.refused,
	}
	pass := req.PassesTo(c.dialect.Name())
	if pass {
		if held, err = takePortion(ctx, int64(len(req.Origin.Body))); err != nil {
			return outgoing{}, nil, err
		}
		call, err := c.dialect.PassRequest(req, target)
		call.Losses = append(call.Losses, req.Lost...)
		in, _ := req.Inlaid.(*inlays)
		edits := c.account.Kind.Edits
		if isReworded(req) {
			pass, edits = false, c.editsOfReworded()
		}
		return outgoing{c.reshape(call, target, edits, pass), in, req.Origin.Loan}, held, err
	}
	talk, err := req.Conversation()
	if err != nil {
		return outgoing{}, nil, err
	}
	talk, billed := dialect.WithoutAttribution(talk, c.dialect.Name())
	talk, offered := dialect.SelectTools(talk, c.dialect.Name(), target)
	talk, compacted := dialect.WithoutCompacted(talk, c.dialect.Name())
	talk, paired := dialect.PairResults(dialect.MatchResults(talk))
	talk, placed := dialect.PlaceResults(talk)
	talk, mended := m.mend(talk)
	talk, shown := dialect.ShowPictures(talk, c.dialect.Name(), target)
	talk, outdated, err := dialect.WithModernSchemas(talk)
	if err != nil {
		return outgoing{}, nil, err
	}
	in := new(inlays)
	lean := in.lift(talk)
	if held, err = takePortion(ctx, weight(lean)); err != nil {
		return outgoing{}, nil, err
	}
	call, err := c.dialect.EncodeRequest(lean, target)
	target.Stream = target.Stream || call.Streamed
	call.Body = jsonscan.WithoutHalves(call.Body) // of schemas, arguments and all else that is sent as the client wrote it
	call.Losses, err = talk.InOwnWords(slices.Concat(talk.Notes, req.Lost, billed, offered, compacted, paired, placed, mended, shown, outdated, call.Losses), err)
	return outgoing{c.reshape(call, target, c.account.Kind.Edits, pass), in, nil}, held, err
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
func (c *Chat) send(ctx context.Context, call outgoing) (*http.Response, error) {
	whole := call.toRope()
	r, err := c.request(ctx, &call.Outgoing)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.account.Name, err)
	}
	whole.setBody(r, call.loan)
	if c.signer != nil {
		if err := c.signer.sign(ctx, r, whole); err != nil {
			return nil, err
		}
	}
	answer, err := c.carry(r)
	if err != nil {
		return nil, unreachable(err)
	}
	if plain, ok := wire.Unpack(answer.Header.Get("Content-Encoding"), answer.Body); ok { // though that was not asked for
		answer.Body, answer.ContentLength = plain, -1
	}
	if answer.StatusCode/100 == 2 {
		unframe(answer)
		return answer, nil
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, mostError))
	return nil, c.toRefusal(answer.StatusCode, answer.Header, bytes.TrimPrefix(body, []byte(byteOrder)))
}

// request is one to the path of a call, without its body. Address and header are those of
// the calls before it wherever it has nothing of its own to say.
func (c *Chat) request(ctx context.Context, call *dialect.Outgoing) (*http.Request, error) {
	known := c.asked.Load()
	if known == nil || known.path != call.Path {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.account.BaseURL+call.Path, nil)
		if err != nil {
			return nil, err
		}
		if known != nil {
			r.Header = known.request.Header
		} else {
			r.Header = c.header()
		}
		known = &endpoint{call.Path, r}
		c.asked.Store(known)
	}
	r := known.request.WithContext(ctx)
	if len(call.Header) > 0 || c.signer != nil || trace.IsTraced(ctx) {
		r.Header = maps.Clone(known.request.Header)
		for name, values := range call.Header {
			if _, ours := r.Header[name]; !ours {
				r.Header[name] = values
			}
		}
		trace.Inject(ctx, r.Header)
	}
	return r, nil
}

// header is what all calls carry. It is shared by them and never changed.
func (c *Chat) header() http.Header {
	h := http.Header{"Content-Type": jsonType, "Accept-Encoding": identity, "User-Agent": userAgent}
	if c.signer == nil {
		c.putKey(h)
	}
	return h
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
	dog     *watchdog
	answer  *http.Response
	call    dialect.Outgoing
	reply   *chat.Reply
	target  relay.Target
	req     *chat.Request
	portion *portion
	torrent torrent           // its body, where it is a stream
	resumes bool              // the answer goes on with one that was paused
	ids     map[string]string // of calls in the conversation, with what stands for one that comes again; nil: not looked up
}

// close ends the call, answered or not.
func (x *exchange) close() {
	if x.answer != nil {
		_ = x.answer.Body.Close()
	}
	x.dog.stop()
	x.torrent.leave()
	x.portion.close()
}

// readWhole reads a whole answer, even if it comes as a stream.
func (c *Chat) readWhole(x *exchange) error {
	if x.answer.ContentLength > mostAnswer {
		return errTooLong()
	}
	if x.streams() {
		return c.gather(x)
	}
	body, err := readAll(x)
	if err != nil {
		return err
	}
	if !x.reply.Passed || x.target.Watched { // it is understood, and written anew
		if err := scope.From(x.dog.ctx).Memory.Grow(x.dog.ctx, dialect.Weight(body)+int64(len(body))); err != nil {
			return toAnswerError(err)
		}
	}
	x.close()
	if !x.reply.Passed {
		body = jsonscan.WithoutHalves(body)
	}
	if x.reply.Whole, body, err = c.understand(x, body); err != nil {
		return c.spoilByCount(err, body, nil)
	}
	if !x.reply.Passed {
		return c.finish(x)
	}
	if !x.reply.Whole.Usage.Known { // it is counted by what it says then
		if said, err := c.dialect.DecodeReply(body); err == nil {
			x.reply.Whole = said
		}
	}
	if x.target.Rename {
		body = c.dialect.Rename(body, x.req.Model)
	}
	x.reply.Raw = body
	return nil
}

// readAll reads a whole answer, within bounds and as far as the caller's memory goes.
func readAll(x *exchange) ([]byte, error) {
	ctx := x.dog.ctx
	body, err := scope.From(ctx).Memory.ReadAll(ctx, &fed{x.answer.Body, x.dog, mostAnswer + 1}, x.answer.ContentLength)
	switch {
	case errors.Is(err, memory.ErrFull):
		return nil, toAnswerError(err)
	case err != nil:
		return nil, toBroken(err)
	case len(body) > mostAnswer:
		return nil, errTooLong()
	}
	return bytes.TrimPrefix(body, []byte(byteOrder)), nil
}

// toAnswerError says why there is no memory for an answer: one that can never have enough is
// too long, and nothing about the request was wrong.
func toAnswerError(err error) error {
	if fault.From(err).Code == fault.BodyTooLarge {
		return errTooLong().Because(err)
	}
	return err
}

// fed is the beginning of an answer. It tells its watchdog when something comes.
type fed struct {
	io.Reader
	dog  *watchdog
	left int64 // bytes that are still read
}

func (f *fed) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	n, err := f.Reader.Read(p[:min(int64(len(p)), f.left)])
	if f.left -= int64(n); n > 0 {
		f.dog.feed()
	}
	return n, err
}

func errTooLong() *fault.Error { return chat.TooMuchError().AsOwed() }

// toBroken is the fault of an upstream that failed in its answer.
func toBroken(err error) error {
	switch {
	case errors.Is(err, wire.ErrTooLong):
		return errTooLong().Because(err)
	case errors.Is(err, memory.ErrFull):
		return toAnswerError(err)
	}
	return chat.BrokenError(err).AsOwed()
}

// readCloser reads from one and closes the other.
type readCloser struct {
	io.Reader
	io.Closer
}

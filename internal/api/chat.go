package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/memory"
	"stele/internal/price"
	"stele/internal/scope"
	"stele/internal/wire"
)

// talk serves a chat route in its family's dialect.
func (d *Door) talk(w http.ResponseWriter, c call) error {
	if len(c.Header[keyHeader]) > 0 {
		return d.talkOnce(w, c)
	}
	return d.talkNow(w, c)
}

// talkNow answers a request that may be answered as often as it comes.
func (d *Door) talkNow(w http.ResponseWriter, c call) error {
	body, err := readBody(c.Request)
	if err != nil {
		d.Relay.Refuse(c.Context(), c.who, c.route.family.name, err)
		return err
	}
	req, err := d.decode(&c, body)
	if err != nil {
		return err
	}
	if memory.Reusable(body) {
		req.Origin.Loan = chat.NewLoan(func() { memory.Reuse(body) })
	}
	err = d.answer(w, c, req, d.Settings().KeepAlive)
	if err == nil && !req.IsUnderstood() { // nothing of the body is in an error, a vault or a log line
		req.Origin.Loan.Return()
	}
	return err
}

// answer answers a request that was understood.
func (d *Door) answer(w http.ResponseWriter, c call, req *chat.Request, keepAlive time.Duration) error {
	if req.Stream {
		return d.stream(w, c, req, keepAlive)
	}
	codec := c.codec()
	reply, err := d.Relay.Do(c.Context(), c.who, req)
	if err != nil {
		return dialect.InClientTerms(codec, err)
	}
	body := reply.Raw
	if cost := reply.Whole.Usage.Cost; reply.Passed && cost != nil {
		body = codec.PutCost(body, *cost)
	}
	if !reply.Passed {
		if body, err = codec.EncodeReply(req, reply.Whole); err != nil {
			return err
		}
	}
	say(w, &c, reply)
	c.route.family.write(w, c.Request, http.StatusOK, body)
	return nil
}

// decode reads a chat request, and records it where it is refused.
func (d *Door) decode(c *call, body []byte) (*chat.Request, error) {
	req, err := d.decodeBody(c, body)
	if err != nil {
		d.Relay.Refuse(c.Context(), c.who, c.route.family.name, err)
		return nil, err
	}
	for _, name := range c.undeclared {
		req.Lost = append(req.Lost, chat.Lost("X-Stele-Tags."+name, chat.Ignored, "the workspace has not declared it"))
	}
	c.who.For.User = access.EndUser(req.Origin.Facts.Asked.User)
	return req, nil
}

// decodeBody reads a chat request: the path, the headers that concern it, the body.
func (d *Door) decodeBody(c *call, body []byte) (*chat.Request, error) {
	ctx := c.Context()
	lease := scope.From(ctx).Memory
	in := dialect.Incoming{Model: c.params["model"], Header: c.Header, Body: body}
	if c.params["model"] != "" {
		in.Stream = strings.HasSuffix(c.route.path, ":streamGenerateContent")
		in.Framed = isFramed(*c)
	}
	req, err := c.codec().DecodeRequest(in)
	if err != nil {
		return nil, err
	}
	req.Admit = func() error { return lease.Grow(ctx, req.Origin.Facts.Weight) }
	req.Strict = isOn(c.Header.Get("X-Stele-Strict"))
	req.Origin.Cost = isOn(c.Header.Get("X-Stele-Include-Cost"))
	return req, nil
}

// isOn reports whether a header that is a switch is on.
func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "0":
		return false
	}
	return true
}

// readBody reads a whole body, as far as the caller's memory goes.
func readBody(r *http.Request) ([]byte, error) {
	body, err := scope.From(r.Context()).Memory.ReadAll(r.Context(), r.Body, r.ContentLength)
	return jsonscan.WithoutMark(body), err
}

func wantsEvents(h http.Header) bool {
	return slices.ContainsFunc(h.Values("Accept"), func(line string) bool { return strings.Contains(strings.ToLower(line), wire.EventStream) })
}

// say puts what happened on the way into the answer's header.
func say(w http.ResponseWriter, c *call, reply *chat.Reply) {
	h := headOf(w)
	if reply.Served != "" {
		h.set("X-Stele-Served-By", reply.Served)
	}
	if on := reply.Ends.On; !on.IsZero() {
		h.set("Deprecation", "@"+strconv.FormatInt(reply.Ends.Known.Unix(), 10)) // RFC 9745
		h.set("Sunset", on.UTC().Format(http.TimeFormat))                        // RFC 8594
	}
	if len(reply.Limits) > 0 {
		sayLimits(h, c.route.family.name, reply.Limits)
	}
	if reply.Priced && reply.Stream == nil {
		h.set("X-Stele-Cost", price.Amount(reply.Nano).Decimal())
	}
	if len(reply.Dropped) > 0 {
		h.set(droppedHeader, formatDropped(c.codec(), reply.Dropped))
	}
}

// stream answers with a stream. Until something is written an error keeps its
// status; afterwards it is the dialect's own event and a broken connection.
func (d *Door) stream(w http.ResponseWriter, c call, req *chat.Request, keepAlive time.Duration) error {
	if c.route.family.name == anthropic.name {
		w.Header().Set("Request-Id", scope.From(c.Context()).ID)
	}
	codec := c.codec()
	feed := newFeed(w, codec, req, keepAlive, false) // from here on its timer may begin the answer
	defer feed.Stop()
	reply, err := d.Relay.Do(c.Context(), c.who, req)
	if err == nil {
		defer reply.Close()
		feed.Header(func(http.Header) { say(w, &c, reply) })
		if err = feed.pump(reply); err == nil && len(reply.Late) > 0 {
			feed.Stop()
			w.Header().Set(http.TrailerPrefix+droppedHeader, formatDropped(codec, slices.Concat(reply.Dropped, reply.Late)))
		}
	}
	if err == nil || errors.Is(err, wire.ErrGone) {
		return nil
	}
	return feed.breakOff(c.Request, dialect.InClientTerms(codec, err))
}

// breakOff ends a stream that goes no further. Where it has not begun the error is the answer.
func (f *feed) breakOff(r *http.Request, err error) error {
	if ended := whyInterrupted(r.Context()); ended != nil {
		err = ended
	}
	if !f.HasBegun() {
		return err
	}
	e := fault.From(err)
	noteFailure(r, e)
	f.fail(e, scope.From(r.Context()).ID)
	return io.ErrUnexpectedEOF // the answer has begun: the door breaks it off
}

// whyInterrupted is what a client is told where its request was ended from here; nil where it
// was not.
func whyInterrupted(ctx context.Context) *fault.Error {
	if ctx.Err() == nil {
		return nil
	}
	e, _ := errors.AsType[*fault.Error](context.Cause(ctx))
	return e
}

package playground

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console/page"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/scope"
	"stele/internal/wire"
)

// Dialect is what requests of the playground are recorded as. It is no client's: what
// the page says is read by OpenAI's codec, but never passes through to an upstream
// as it is, because the page shows what was meant, not bytes.
const Dialect = "console"

// principalOf is a visitor who asks a model: like a client that calls with a development
// key that opens everything, but without a key.
func principalOf(v access.Visitor) access.Principal {
	who := v.Principal()
	who.Environment = access.Development
	return who
}

// runPlayground asks a model and streams what it answers.
func (c *Room) runPlayground(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	who := principalOf(v)
	req, err := readTalk(r)
	if err != nil {
		c.Chat.Refuse(r.Context(), who, Dialect, err)
		return err
	}
	feed := wire.NewEventWriter(w, wire.EventStream, c.keepAlive(), wire.Comment("still here"))
	defer feed.Stop()
	run := &talkRun{feed: feed, began: time.Now(), request: scope.From(r.Context()).ID, size: len(req.Origin.Body)}
	if m, err := c.Models.Model(req.Model, who.Scope); err == nil {
		run.cost = func(reply *chat.Reply, u chat.Usage) catalog.Cost {
			return c.Models.Cost(m, catalog.Target{Provider: reply.Provider, Model: reply.Target}, u, run.began)
		}
	}
	reply, err := c.Chat.Do(r.Context(), who, req)
	if err == nil {
		if reply.Close != nil {
			defer reply.Close()
		}
		err = run.tell(reply)
	}
	ended := access.WhyEnded(r.Context())
	if err == nil || errors.Is(err, wire.ErrGone) || ended == nil && errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return nil
	}
	if err = toPageError(err); ended != nil {
		err = ended
	}
	if !feed.HasBegun() {
		return err
	}
	e := fault.From(err)
	page.Note(r, e)
	_ = run.fail(e) // the last that is said either way
	return nil
}

func (c *Room) keepAlive() time.Duration {
	if c.KeepAlive != nil {
		if d := c.KeepAlive(); d > 0 {
			return d
		}
	}
	return 15 * time.Second
}

// readTalk reads a request in the page's words, which are OpenAI's.
func readTalk(r *http.Request) (*chat.Request, error) {
	lease := scope.From(r.Context()).Memory
	body, err := lease.ReadAll(r.Context(), r.Body, r.ContentLength)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, fault.New(fault.BodyTooLarge, "A conversation has at most 8 MB: attach files rather than pasting them.").With("limit", jsonLimit)
	}
	if errors.Is(err, memory.ErrFull) {
		return nil, err
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequestBody, "The request ended before it was complete.").Because(err)
	}
	read, err := openai.Codec{}.DecodeRequest(dialect.Incoming{Header: make(http.Header), Body: body})
	if err != nil {
		return nil, err
	}
	origin := chat.Origin{Dialect: Dialect, Body: body, Facts: chat.Facts{Asked: read.Origin.Facts.Asked}}
	req := chat.NewRequest(read.Model, true, origin, read.Conversation)
	req.Admit = func() error { return lease.Grow(r.Context(), dialect.Weight(body)) }
	return req, nil
}

// toPageError puts an error in words that fit the page.
func toPageError(err error) error { return dialect.InClientTerms(openai.Codec{}, err) }

// say writes an event, which is a JSON object. It stays with us for a moment when more
// follow at once.
func (r *talkRun) say(event any, more bool) error {
	body, err := json.Marshal(event)
	if err != nil {
		return err
	}
	return r.feed.Event("", body, more)
}

package playground

import (
	"context"
	"errors"
	"net/http"
	"sync"
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
)

// Dialect is what requests of the playground are recorded as. It is nobody's: what
// the page says is read by OpenAI's codec, but never passes through to an upstream
// as it is, because the page shows what was meant, not bytes.
const Dialect = "console"

// trying is a visitor who asks a model: as everybody who calls with a development
// key that opens everything, but without a key.
func trying(v access.Visitor) access.Principal {
	who := v.Principal()
	who.Environment = access.Development
	return who
}

// runPlayground asks a model and streams what it answers.
func (c *Room) runPlayground(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	who := trying(v)
	req, err := readTalk(r)
	if err != nil {
		c.Chat.Refuse(r.Context(), who, Dialect, err)
		return err
	}
	feed := newTalkFeed(w, c.keepAlive())
	defer feed.stop()
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
	ended := access.Ended(r.Context())
	if err == nil || errors.Is(err, errGone) || ended == nil && errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return nil
	}
	if err = toldTalk(err); ended != nil {
		err = ended
	}
	if !feed.begun() {
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
	origin := chat.Origin{Dialect: Dialect, Body: body, Header: make(http.Header)}
	req := chat.NewRequest(read.Model, true, origin, read.Conversation)
	req.Admit = func() error { return lease.Grow(r.Context(), dialect.Weight(body)) }
	return req, nil
}

// toldTalk is an error in words that fit the page.
func toldTalk(err error) error { return dialect.InClientTerms(openai.Codec{}, err) }

var errGone = errors.New("the browser is gone")

// talkFeed is an answer to the browser that grows: server-sent events, each a JSON
// object, with a comment now and then while there is nothing to say.
type talkFeed struct {
	w       http.ResponseWriter
	control *http.ResponseController
	every   time.Duration

	mu      sync.Mutex // guards what follows: the timer writes too
	timer   *time.Timer
	started bool
	stopped bool
}

func newTalkFeed(w http.ResponseWriter, every time.Duration) *talkFeed {
	f := &talkFeed{w: w, control: http.NewResponseController(w), every: every}
	f.mu.Lock()
	defer f.mu.Unlock() // it may go off at once
	f.timer = time.AfterFunc(every, f.breathe)
	return f
}

// begun reports whether the answer has a status, which is then 200.
func (f *talkFeed) begun() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// say writes an event. It stays with us for a moment when more follow at once.
func (f *talkFeed) say(event any, more bool) error {
	body, err := json.Marshal(event)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Reset(f.every)
	return f.write(append(append([]byte("data: "), body...), "\n\n"...), more)
}

// write is for those who hold mu.
func (f *talkFeed) write(frame []byte, more bool) error {
	if !f.started {
		f.started = true
		h := f.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		f.w.WriteHeader(http.StatusOK)
	}
	if _, err := f.w.Write(frame); err != nil {
		return errors.Join(errGone, err)
	}
	if more {
		return nil
	}
	if err := f.control.Flush(); err != nil {
		return errors.Join(errGone, err)
	}
	return nil
}

// breathe tells every proxy on the way that we are still there.
func (f *talkFeed) breathe() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	_ = f.write([]byte(": still here\n\n"), false) // a browser that is gone ends the request itself
	f.timer.Reset(f.every)
}

// stop ends the signs of life. Nothing is written after it returns.
func (f *talkFeed) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.timer.Stop()
}

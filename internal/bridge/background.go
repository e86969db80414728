package bridge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
	"stele/internal/wire"
)

// A response in the background goes on without its client, until it ends or is canceled.
// Its events are kept for a while, so that a client can follow it from any of them on.

// run is a response in the background. It is safe for concurrent use.
type run struct {
	cancel context.CancelFunc
	ended  chan struct{}
	input  [][]byte // items of its request

	mu     sync.Mutex // guards what follows
	events [][]byte   // the one with number n is at n
	body   []byte     // the response as it is
	grown  chan struct{}
}

// add adds an event.
func (r *run) add(event []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
	close(r.grown)
	r.grown = make(chan struct{})
}

// show has clients see the response as it is by now.
func (r *run) show(body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body = body
}

func (r *run) latest() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body
}

// eventCount is how many events there are by now.
func (r *run) eventCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// after are the events from a number on, and what is closed when there are more.
func (r *run) after(from int) ([][]byte, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[min(from, len(r.events)):], r.grown
}

// runs are the responses in the background: those that go on, and the last that ended.
type runs struct {
	mu    sync.Mutex // guards what follows
	byID  map[string]*run
	ended []string // ids of those that ended, the oldest first

	working sync.WaitGroup
}

const (
	mostEnded   = 64  // of those that ended so many can still be followed
	mostWorking = 256 // at the same time: each holds its answer in memory
)

// begin reports whether there is room for one more.
func (s *runs) begin(id string, r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID)-len(s.ended) >= mostWorking {
		return false
	}
	s.byID[id] = r
	return true
}

func (s *runs) get(id string) (*run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.byID[id]
	return r, ok
}

func (s *runs) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[id] == nil {
		return // it was forgotten
	}
	if s.ended = append(s.ended, id); len(s.ended) > mostEnded {
		delete(s.byID, s.ended[0])
		s.ended = s.ended[1:]
	}
}

// forget ends a response and forgets it.
func (s *runs) forget(id string) {
	s.mu.Lock()
	r, ok := s.byID[id]
	delete(s.byID, id)
	s.ended = slices.DeleteFunc(s.ended, func(one string) bool { return one == id })
	s.mu.Unlock()
	if ok {
		r.cancel()
		<-r.ended
	}
}

// stop cancels all that go on, and waits for their ends.
func (s *runs) stop() {
	s.mu.Lock()
	for _, r := range s.byID {
		r.cancel()
	}
	s.mu.Unlock()
	s.working.Wait()
}

// respondLater answers a request for a response in the background: with the response as it
// is now, or with its events while the client stays.
func (b *Bridge) respondLater(w http.ResponseWriter, c *call, o *request) error {
	if !o.store {
		return fault.Unclear("background", "a response in the background must be stored")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	a := newAnswer(o)
	a.run = &run{cancel: cancel, ended: make(chan struct{}), grown: make(chan struct{}), input: o.input}
	a.run.show(a.response("queued", nil))
	_ = a.begin() // nothing is sent here
	if !b.runs.begin(a.id, a.run) {
		cancel()
		return fault.New(fault.ConcurrencyLimit, "%d responses are at work in the background: wait for one, or cancel one.", mostWorking)
	}
	later := &call{Request: c.WithContext(ctx), path: c.path, id: c.id}
	b.runs.working.Go(func() {
		defer cancel()
		b.goOn(a, later)
	})
	o.tellDropped(w.Header(), droppedHeader)
	if o.stream {
		return a.run.follow(w, c, 0)
	}
	answerJSON(w, http.StatusOK, a.run.latest())
	return nil
}

// goOn asks the server and makes the response, to whichever end. The API has no event for
// one that was canceled; clients know response.failed as an end, and see the status in it.
func (b *Bridge) goOn(a *answer, c *call) {
	a.run.show(a.response("in_progress", nil))
	err := b.follow(a, c)
	if err != nil && c.Context().Err() != nil {
		_ = a.close("failed") // what has come so far is seen
		_ = a.tell("response.failed", "cancelled", nil)
		b.keepFailed(a, a.response("cancelled", nil))
	} else if response, status, _ := a.finish(err); status == "failed" {
		b.keepFailed(a, response)
	} else {
		b.keep(a, response, status)
		a.run.show(response)
	}
	b.runs.end(a.id)
	close(a.run.ended)
}

// keepFailed keeps a response that is not whole for clients that ask how it ended. Nothing
// goes on from what is in it.
func (b *Bridge) keepFailed(a *answer, response []byte) {
	err := b.Kept.Put(&Response{ID: a.id, Previous: a.previous, Thread: a.thread, Before: a.before, Input: a.input, Body: response})
	if err != nil {
		b.Log.Warn("a response was not written down", "error", err)
	}
	a.run.show(response)
}

// follow asks the server and reads what it answers.
func (b *Bridge) follow(a *answer, c *call) error {
	answered, err := b.askThinking(c, a.request)
	if err != nil {
		return err
	}
	defer answered.Body.Close()
	if answered.StatusCode != http.StatusOK {
		refusal, err := io.ReadAll(io.LimitReader(answered.Body, mostRefusal))
		if err != nil {
			return errCutShort
		}
		return a.follow(bytes.NewReader(asEvent(inOwnWords(answered.StatusCode, refusal, a.paths))))
	}
	a.takeDropped(answered.Header)
	err = a.follow(answered.Body)
	a.hearEnd(answered)
	return err
}

// refuseUnfinished refuses to go on from a response that is still being made.
func (b *Bridge) refuseUnfinished(previous string) error {
	if _, runs := b.runs.get(previous); !runs {
		return nil
	}
	if _, ended := b.Kept.Get(previous); ended {
		return nil
	}
	return fault.Unclear("previous_response_id", "the response "+previous+" is still being made: wait until it ends")
}

// asEvent is a refusal as it would stand in a stream.
func asEvent(refusal []byte) []byte {
	return wire.AppendEvent(nil, "", jsonscan.Root(refusal).AppendCompact(nil))
}

// follow sends events from a number on, until the response ends or the client goes.
func (r *run) follow(w http.ResponseWriter, c *call, from int) error {
	out := wire.NewEventWriter(w, wire.EventStream, keepAliveTime, wire.Comment("keep-alive"))
	defer out.Stop()
	for ended := false; ; {
		list, grown := r.after(from)
		for i, event := range list {
			if err := out.Send(event, i < len(list)-1); err != nil {
				return nil //nolint:nilerr // the client is gone: nothing is left to tell it
			}
		}
		if from += len(list); ended {
			return nil
		}
		select {
		case <-grown:
		case <-r.ended:
			ended = true // what came last is still to be sent
		case <-c.Context().Done():
			return nil
		}
	}
}

// followLater answers GET /v1/responses/{id}?stream=true.
func (b *Bridge) followLater(w http.ResponseWriter, c *call, id string) error {
	r, ok := b.runs.get(id)
	if !ok {
		return fault.Unclear("stream", "only responses in the background can be streamed once more, and of those that ended the last")
	}
	from := 0
	if given := c.URL.Query().Get("starting_after"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 0 {
			return fault.WrongValue("starting_after", "the number of an event")
		}
		if told := r.eventCount(); n >= told { // nothing would come, which clients take for an answer that broke off
			return fault.Unclear("starting_after", "the response has no such event: it has "+strconv.Itoa(told)+", from 0 on")
		}
		from = n + 1
	}
	return r.follow(w, c, from)
}

// cancelResponse answers POST /v1/responses/{id}/cancel.
func (b *Bridge) cancelResponse(w http.ResponseWriter, c *call, id string) error {
	if r, ok := b.runs.get(id); ok {
		r.cancel()
		select {
		case <-r.ended:
		case <-c.Context().Done():
			return c.Context().Err()
		}
		answerJSON(w, http.StatusOK, r.latest())
		return nil
	}
	kept, ok := b.Kept.Get(id)
	if !ok || uid.Is("conv", id) {
		return refuseNoResponse(id)
	}
	if later, _ := jsonscan.Root(kept.Body).Get("background").Bool(); later { // it ended long ago, or with another bridge
		answerJSON(w, http.StatusOK, kept.Body)
		return nil
	}
	return fault.New(fault.InvalidParameter, "Only responses in the background can be canceled: close the connection of any other instead.")
}

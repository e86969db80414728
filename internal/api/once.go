package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/share"
	"stele/internal/uid"
	"stele/internal/wire"
)

// talkOnce answers a chat request with an Idempotency-Key: a client that brings the key again gets
// the same answer, and no upstream is asked twice.
func (d *Door) talkOnce(w http.ResponseWriter, c call) error {
	key, err := idempotencyKey(c.Header)
	if key == "" && err == nil {
		return d.talkNow(w, c)
	}
	var from int64
	if err == nil {
		from, err = lastEvent(c.Header)
	}
	var body []byte
	if err == nil {
		body, err = readBody(c.Request)
	}
	if err != nil {
		d.Relay.Refuse(c.Context(), c.who, c.route.family.name, err)
		return err
	}
	run := &keyedChat{door: d, call: c.detach(), from: from}
	own := scope.From(run.call.Context())
	if run.req, run.wrong = d.decode(&run.call, body); run.wrong != nil {
		run.req = new(chat.Request)
	}
	switch kept := c.who.Scope.AllowsCapture(); {
	case run.wrong != nil && !kept:
		err = run.wrong // it is told each time
	case run.wrong == nil && d.Relay.Opens(c.who, run.req.Model) != nil && (!kept || isClosed(c.who, run.req.Model)):
		err = d.answer(w, run.call, run.req, d.Settings().KeepAlive) // refused, and in the books
	default:
		twice := 2 * int64(len(body)) // it is written anew, and once more as a text
		if err = own.Memory.Grow(c.Context(), twice); err == nil {
			switches := fmt.Sprint(run.req.Strict, run.req.Origin.Cost, isFramed(c))
			asked := c.withKey(key, uid.New("kept"), c.params["model"], switches, canonical(body, run.req.Origin.Facts.Values))
			own.Memory.Shrink(twice)
			return run.answerOnce(w, c, asked)
		}
	}
	own.Memory.Close()
	scope.From(c.Context()).Record = own.Record
	return err
}

// isClosed reports whether it may be the caller alone for whom there is no such model: the next one with
// the same key may be another API key's that opens more. For what can be no name nothing is kept.
func isClosed(who access.Principal, model string) bool {
	return who.Scope.LimitsModels() || catalog.CheckID(model) != nil
}

// answerOnce gives the request the answer of its key.
func (k *keyedChat) answerOnce(w http.ResponseWriter, c call, asked replay.Request) error {
	own, settings := scope.From(k.call.Context()), k.door.Settings()
	making := replay.Making{
		Request: own.ID, Make: k.make, Lost: k.endLost, Lease: own.Memory,
		Private: !c.who.Scope.AllowsCapture() || k.door.Share.TakeRoom(c.Context(), c.who.Workspace, share.Held{}) != nil, Linger: settings.Linger, Most: settings.Kept,
	}
	if k.from > 0 {
		making.Refuse = errNothingToTakeUp(k.from)
	}
	follower, err := k.door.Replay.Record(k.call.Context(), asked, making)
	if err != nil {
		return err
	}
	defer follower.Leave()
	return k.tell(w, c, follower)
}

// keyedChat is a chat request with an Idempotency-Key. Its call has a life of its own.
type keyedChat struct {
	door    *Door
	call    call
	req     *chat.Request
	wrong   error        // why there is no request in the body
	from    int64        // the last event that the client has
	refusal *fault.Error // what the answer is, where it is an error that is kept
}

// detach gives the call without its client: what it holds and notes is its own.
func (c call) detach() call {
	from := scope.From(c.Context())
	own := &scope.Request{ID: from.ID, Remote: from.Remote, Secure: from.Secure, Memory: from.Memory.Hand()}
	own.SetRoute(from.Route())
	c.Request = c.WithContext(scope.With(context.WithoutCancel(c.Context()), own))
	return c
}

// make makes the answer, as any request is answered, but into a recording.
func (k *keyedChat) make(ctx context.Context, take *replay.Take) (result replay.Result) {
	defer func() {
		if v := recover(); v != nil {
			result = replay.Result{Err: fmt.Errorf("panic: %v\n%s", v, debug.Stack()), Free: !take.WasAsked()}
		}
	}()
	d, c := k.door, k.call
	leave, err := d.kept.take(c.who)
	if err != nil {
		return replay.Result{Err: err, Free: true}
	}
	defer leave()
	if k.wrong != nil {
		return k.settleFailed(ctx, take, k.wrong)
	}
	held, release := d.Access.Hold(ctx, c.pass, access.GroupChat)
	defer release()
	c.Request = c.WithContext(held)
	k.req.Asking = func() error { return take.MarkAsked(held) }
	tape := &tape{ctx: held, take: take, header: make(http.Header)}
	err = d.answer(tape, c, k.req, math.MaxInt64) // followers are kept alive, not the recording
	switch {
	case err == nil:
		tape.begin(tape.status) // with its trailers
		return replay.Result{}
	case take.HasBegun():
		return replay.Result{Cut: true}
	}
	return k.settleFailed(held, take, err)
}

// settleFailed decides what an answer that never began leaves behind. What was asked for and given
// up may have been paid for: it is never asked for again.
func (k *keyedChat) settleFailed(ctx context.Context, take *replay.Take, err error) replay.Result {
	ended := whyInterrupted(ctx)
	if ended != nil {
		err = ended
	}
	e := fault.From(err)
	switch {
	case ended != nil && take.WasAsked():
		e = replay.OutcomeUnknown()
	case ended != nil, !e.Unsure() && !replay.Counts(e.ChatStatus()):
		return replay.Result{Err: err, Free: true}
	case e.Unsure():
		return replay.Result{Err: err, Free: !take.WasAsked()}
	}
	answer := k.refusalOf(e, scope.From(ctx).ID)
	k.refusal = e
	take.Begin(replay.Head{Status: answer.Status, Type: answer.Type, Header: answer.Header})
	if err := take.Write(ctx, answer.Body); err != nil {
		return replay.Result{Err: err}
	}
	return replay.Result{}
}

// refusalOf is an error as an answer that is kept.
func (k *keyedChat) refusalOf(e *fault.Error, request string) replay.Answer {
	status, body := k.call.route.family.codec.EncodeError(e, request)
	h := make(http.Header)
	if e.Lasting() {
		h.Set("X-Should-Retry", "false")
	}
	return replay.Answer{Status: status, Type: jsonType, Header: keptHeader(h), Body: body}
}

// endLost ends an answer whose server died: as far as it came, and then the
// dialect's own error.
func (k *keyedChat) endLost(r replay.Remains) replay.Answer {
	e := replay.OutcomeUnknown()
	if r.Head.Status == 0 {
		return k.refusalOf(e, r.Request)
	}
	a := replay.Answer{Status: r.Head.Status, Type: r.Head.Type, Header: r.Head.Header}
	end := k.endOf(r.Bytes)
	if end == said {
		return a
	}
	a.Ending = replay.Cut
	if end == unsaid {
		encoder := k.call.codec().NewEncoder(k.req)
		if array, ok := encoder.(dialect.ArrayEncoder); ok {
			array.AppendFrames(nil, []byte("data: {}\n\n")) // it has begun
		}
		a.Body = encoder.Fail(nil, e, r.Request)
	}
	return a
}

// tell gives a client the answer as it is recorded.
func (k *keyedChat) tell(w http.ResponseWriter, c call, follower *replay.Follower) error {
	request, own := scope.From(c.Context()), scope.From(k.call.Context())
	seen, err := k.retell(w, c, follower)
	switch {
	case !seen:
	case follower.IsReplay():
		request.Note(slog.Bool("replayed", true))
	default: // the request that made it has its facts
		request.Record = own.Record
		request.Note(own.Attrs()...)
		if unsaved := follower.WhyUnsaved(); unsaved != nil {
			request.Note(slog.Any("not_kept", unsaved))
		}
	}
	return err
}

// retell writes what is recorded, and reports whether there was anything.
func (k *keyedChat) retell(w http.ResponseWriter, c call, follower *replay.Follower) (seen bool, err error) {
	keepAlive := time.Duration(math.MaxInt64)
	if k.req.Stream {
		keepAlive = k.door.Settings().KeepAlive
	}
	feed := newFeed(w, k.call.codec(), k.req, keepAlive, hasEventIDs(c))
	defer feed.Stop()
	events := &numbering{after: k.from, shown: hasEventIDs(c)}
	lease := scope.From(c.Context()).Memory
	var whole []byte
	for {
		part, err := follower.Next(c.Context())
		if err != nil {
			return seen, feed.breakOff(c.Request, err)
		}
		streamed := part.Head.Status == http.StatusOK && k.req.Stream
		if !seen {
			seen = true
			feed.Header(func(h http.Header) { sayKept(h, part.Head, follower.IsReplay()) })
		}
		if !streamed {
			if whole == nil && part.Ended { // nearly always: it is the recording's own
				return seen, k.tellWhole(&feed, w, c, part.Head, part.Bytes)
			}
			if err := lease.Grow(c.Context(), int64(len(part.Bytes))); err != nil {
				return seen, feed.breakOff(c.Request, err)
			}
			if whole = append(whole, part.Bytes...); part.Ended {
				return seen, k.tellWhole(&feed, w, c, part.Head, whole)
			}
			continue
		}
		if err := events.tell(c.Context(), &feed, part, lease); errors.Is(err, wire.ErrGone) {
			return seen, nil // a client that is gone needs no answer
		} else if err != nil {
			return seen, feed.breakOff(c.Request, err)
		}
		if part.Ended {
			return seen, k.tellEnd(&feed, w, part)
		}
	}
}

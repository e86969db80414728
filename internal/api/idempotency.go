package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/scope"
)

const (
	keyHeader  = "Idempotency-Key"
	longestKey = 255
)

// idempotencyKey reads the key of a request; "" for none.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values(keyHeader)
	if len(values) == 0 || (len(values) == 1 && values[0] == "") {
		return "", nil
	}
	if key := values[0]; len(values) > 1 || len(key) > longestKey || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) {
		return "", fault.New(fault.InvalidRequestBody, "%s takes one text of up to %d bytes without control characters.", keyHeader, longestKey).
			Field(keyHeader)
	}
	return values[0], nil
}

// create answers an order: once for each Idempotency-Key. What is only tried out
// is never kept.
func (d *Door) create(w http.ResponseWriter, c call, o clientOrder) error {
	key, err := idempotencyKey(c.Header)
	if err != nil {
		return err
	}
	if o.model != "" && c.params["app"] == "" { // of an app it is an input like any other
		if err := catalog.CheckID(o.model); err != nil {
			return err // before an answer is kept for it
		}
	}
	if o.wait > 0 && !o.dry {
		leave, err := d.waits.take(c.who)
		if err != nil {
			return err
		}
		defer leave()
	}
	if key == "" || o.dry {
		t, err := o.make(generation.NewID())
		if err == nil {
			t, err = d.awaitOrder(w, c, &o, t)
		}
		if err != nil {
			return err
		}
		return d.conclude(w, c, nil, func() (int, []byte, error) { return d.answerCreated(t, o.dry) })
	}
	lock, err := d.Replay.Enter(c.Context(), c.withKey(key, generation.NewID(), canonical(o.body, o.values)))
	if err != nil {
		return err
	}
	if lock.Answer == nil {
		if body := d.createOnce(lock, o); body != nil {
			c.route.family.of(c.Request).write(w, c.Request, http.StatusCreated, body)
			return nil
		}
		// The key was used before, or the order is refused: what is kept for the key goes first.
		if lock, err = lock.Begin(c.Context()); err != nil {
			return err
		}
	}
	return d.conclude(w, c, lock, func() (int, []byte, error) {
		t, err := d.orderOnce(c, lock, o.make)
		if err == nil {
			t, err = d.awaitOrder(w, c, &o, t)
		}
		if err != nil {
			return 0, nil, err
		}
		return d.answerCreated(t, false)
	})
}

// createOnce orders and keeps the answer in one transaction, which ends the lock. It gives
// the answer's body, or nil where that cannot be done and nothing was.
func (d *Door) createOnce(lock *replay.Lock, o clientOrder) []byte {
	if o.makeOnce == nil || o.wait > 0 { // what is answered first is what is kept
		return nil
	}
	var answer replay.Answer
	_, err := o.makeOnce(lock.ID, func(t *generation.Task) (claim replay.Claim, err error) {
		answer.Type = jsonType
		answer.Status, answer.Body, err = d.answerCreated(t, false)
		return lock.Claim(answer), err
	})
	if err != nil {
		return nil
	}
	lock.EndSaved(answer)
	return answer.Body
}

// orderOnce orders what a lock is for. What was ordered before is given as it was then.
func (d *Door) orderOnce(c call, lock *replay.Lock, order func(id string) (*generation.Task, error)) (*generation.Task, error) {
	find := func(id string) (*generation.Task, error) {
		t, err := d.Generations.Find(context.WithoutCancel(c.Context()), c.who.Workspace, "", id)
		if err != nil {
			return nil, err
		}
		was := *t
		was.State, was.Progress, was.Outputs, was.Code, was.Message, was.Updated, was.Steps = media.Pending, 0, nil, "", "", t.Created, nil
		return &was, nil
	}
	return replay.DoOnce(lock, find, order)
}

// beginUpload begins the lock of an upload whose bytes have all been seen. Where an
// earlier lock has left a file, that is it.
func (d *Door) beginUpload(c call, key string, form *form, f *file.File) (*replay.Lock, *file.File, error) {
	asked := []string{f.SHA256, f.Name, fmt.Sprint(speaksAnthropic(c.Request))}
	for _, name := range slices.Sorted(maps.Keys(form.fields)) {
		asked = append(asked, name, form.fields[name])
	}
	for {
		lock, err := d.Replay.Begin(c.Context(), c.withKey(key, f.ID, asked...))
		if err != nil || !lock.Again {
			return lock, nil, err
		}
		kept, err := d.Files.File(c.Context(), c.who.Workspace, lock.ID)
		if err == nil {
			return lock, kept, nil
		}
		if fault.From(err).Code != fault.FileNotFound {
			lock.Leave()
			return nil, nil, err
		}
		// Nothing came of it. This upload has an id of its own already.
		if err := lock.Free(c.Context()); err != nil && !errors.Is(err, replay.ErrLost) {
			return nil, nil, err
		}
	}
}

// conclude answers a request. With a lock the answer is kept first, so that
// a client that has seen it sees it again; or it is the one that was kept.
func (d *Door) conclude(w http.ResponseWriter, c call, lock *replay.Lock, do func() (status int, body []byte, err error)) error {
	family, request := c.route.family.of(c.Request), scope.From(c.Context())
	if lock == nil {
		lock = new(replay.Lock)
	}
	defer lock.Leave()
	if kept := lock.Answer; kept != nil {
		request.Note(slog.Bool("replayed", true))
		w.Header().Set("Idempotency-Replayed", "true")
		family.write(w, c.Request, kept.Status, kept.Body)
		return nil
	}
	status, body, err := do()
	if lock.ID != "" {
		if err := d.keep(c, lock, status, body, err); err != nil {
			request.Note(slog.Any("not_kept", err))
		}
	}
	if err != nil {
		return err
	}
	family.write(w, c.Request, status, body)
	return nil
}

// keep ends a lock by what came of it. An error of ours says nothing about what
// was made before it: then the lock is left, for the next client to look.
func (d *Door) keep(c call, lock *replay.Lock, status int, body []byte, err error) error {
	if err != nil {
		e := fault.From(err)
		if e.Unsure() {
			return nil
		}
		if status = e.Status(); replay.Counts(status) {
			status, body = c.route.family.of(c.Request).codec.EncodeError(e, scope.From(c.Context()).ID)
		}
	}
	if !replay.Counts(status) {
		return lock.Free(c.Context())
	}
	return lock.Finish(c.Context(), replay.Answer{Status: status, Type: jsonType, Body: body})
}

// withKey is the request as its key stands for it: what was asked, of which app, and
// with which sort of API key, for a sandbox's answer is no other's.
func (c call) withKey(key, id string, asked ...string) replay.Request {
	return replay.Request{
		Scope:       replay.Scope{Workspace: c.who.Workspace, Route: c.route.path, Key: key},
		Fingerprint: replay.Fingerprint(append([]string{c.params["app"], fmt.Sprint(c.who.Sandbox)}, asked...)...), ID: id,
	}
}

// mostCanonical is how many values a body may have to be written anew. One of more stands
// for itself: putting millions of members in order takes many times their size.
const mostCanonical = 50_000

// canonical is a body, which has so many values, without what makes no difference: spaces,
// the order of keys, escapes, and the ways to write a number.
func canonical(body []byte, values int) string {
	if values == 0 || values > mostCanonical { // it is no JSON, or too much of it
		return string(body)
	}
	v := jsontext.Value(slices.Clone(body))
	if v.Canonicalize(jsontext.CanonicalizeRawInts(false)) != nil { // large whole numbers keep their digits
		return string(body)
	}
	return string(v)
}

package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/replay"
	"stele/internal/wire"
)

// tape is an http.ResponseWriter that records an answer instead of sending it.
type tape struct {
	ctx    context.Context //nolint:containedctx // of the one answer
	take   *replay.Take
	header http.Header
	status int
}

func (t *tape) Header() http.Header { return t.header }

func (t *tape) WriteHeader(status int) {
	if t.status == 0 {
		t.begin(status)
	}
}

func (t *tape) Write(b []byte) (int, error) {
	t.WriteHeader(http.StatusOK)
	if err := t.take.Write(t.ctx, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// FlushError is how http.ResponseController flushes.
func (t *tape) FlushError() error {
	t.take.Flush(t.ctx)
	return nil
}

func (t *tape) begin(status int) {
	t.status = status
	t.take.Begin(replay.Head{Status: status, Type: t.header.Get("Content-Type"), Header: keptHeader(t.header)})
}

// Every answer has these by itself.
var ownHeaders = map[string]bool{
	"Content-Type": true, "Content-Length": true, "X-Content-Type-Options": true, "X-Accel-Buffering": true, "Cache-Control": true, "Request-Id": true,
}

// keptHeader is what of a header is kept with an answer.
func keptHeader(h http.Header) string {
	kept := make(map[string]string)
	for name, values := range h {
		if !ownHeaders[name] && len(values) > 0 {
			kept[name] = values[0]
		}
	}
	if len(kept) == 0 {
		return ""
	}
	text, err := json.Marshal(kept, json.Deterministic(true))
	if err != nil {
		return "" // a value that is no text says nothing
	}
	return string(text)
}

// sayKept puts what was kept into a header. How limits stood then says nothing now.
func sayKept(h http.Header, head replay.Head, replayed bool) {
	if replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	kept := make(map[string]string)
	if head.Header != "" && json.Unmarshal([]byte(head.Header), &kept) != nil {
		return
	}
	for name, value := range kept {
		if !replayed || !strings.Contains(name, "Ratelimit") {
			h.Set(name, value)
		}
	}
}

// tellWhole answers with a body that is complete. Where signs of life have begun a stream,
// the refusal is its error.
func (k *keyedChat) tellWhole(f *feed, w http.ResponseWriter, c call, head replay.Head, body []byte) error {
	f.Stop()
	if k.from > 0 && head.Status == http.StatusOK {
		return errNoEvents()
	}
	if f.HasBegun() {
		e := k.refusal
		if e == nil {
			e = replay.OutcomeUnknown()
		}
		return f.breakOff(c.Request, e)
	}
	k.call.route.family.write(w, c.Request, head.Status, body)
	return nil
}

// tellEnd ends a stream as the first one ended.
func (k *keyedChat) tellEnd(f *feed, w http.ResponseWriter, part replay.Part) error {
	f.Stop()
	if part.Cut {
		if !f.HasBegun() {
			w.WriteHeader(part.Head.Status)
		}
		return io.ErrUnexpectedEOF // the door breaks it off
	}
	if !f.HasBegun() { // the client has all of it already
		w.Header().Set("Content-Type", part.Head.Type)
	}
	sayTrailer(w.Header(), part.Head)
	return nil
}

// sayTrailer says what was known only at the end of a stream.
func sayTrailer(h http.Header, head replay.Head) {
	kept := make(http.Header)
	sayKept(kept, head, true)
	for name, values := range kept {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			h[name] = values
		}
	}
}

// ending is how far a recorded stream came.
type ending int

const (
	unsaid ending = iota // its end is missing
	said                 // it is whole
	told                 // it ends with an error
)

// endOf finds out how far a recorded stream came, from its own words.
func (k *keyedChat) endOf(recorded []byte) ending {
	if k.req.Origin.Unframed {
		if bytes.HasSuffix(bytes.TrimSpace(recorded), []byte{']'}) {
			return said
		}
		return unsaid
	}
	client, ok := k.call.route.family.codec.(dialect.Client)
	if !ok {
		return unsaid
	}
	decoder := client.NewDecoder(true)
	reader := wire.NewSSE(bytes.NewReader(recorded), len(recorded)+1)
	defer reader.Close()
	var events []chat.Event
	finished, last := false, false
	for {
		frame, err := reader.Next()
		if err != nil { // the end of what there is
			break
		}
		if events, err = decoder.Decode(events[:0], frame); err != nil {
			return told
		}
		for i := range events {
			if events[i].Kind == chat.Finish {
				finished, last = true, last || events[i].Last
			}
		}
	}
	if last || finished && k.call.route.family.name == gemini.name { // which has no last word
		return said
	}
	return unsaid
}

func isFramed(c call) bool {
	query := c.URL.Query()
	return query.Get("alt") == "sse" || query.Get("$alt") == "sse" || wantsEvents(c.Header) // Google has both names
}

func errNothingToTakeUp(after int64) error {
	return fault.New(fault.InvalidRequestBody, "Nothing is kept for this Idempotency-Key that could be taken up after event %d: leave Last-Event-ID out to ask anew.", after).
		Field(lastEventHeader)
}

func errNoEvents() error {
	return fault.New(fault.InvalidRequestBody, "This answer has no such event: leave Last-Event-ID out to have all of it.").Field(lastEventHeader)
}

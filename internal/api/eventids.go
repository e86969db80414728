package api

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/replay"
	"stele/internal/wire"
)

const lastEventHeader = "Last-Event-Id"

// lastEvent reads which event a client has seen last; 0 for none.
func lastEvent(h http.Header) (int64, error) {
	text := h.Get(lastEventHeader)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidRequestBody, "Last-Event-ID takes the id of an event of this answer, which is a number.").Field(lastEventHeader)
	}
	return n, nil
}

// hasEventIDs reports whether the events of an answer carry their ids. Google's own clients
// read nothing but data: those count the events themselves, if they want to.
func hasEventIDs(c call) bool {
	return c.route.family.name != gemini.name || c.Header.Get("X-Goog-Api-Client") == "" || wantsEvents(c.Header)
}

// numbering gives the events of a stream their ids, 1 for the first, and leaves out those
// that the client has.
type numbering struct {
	after int64
	shown bool
	n     int64
	rest  []byte // an event that is not whole yet
}

// tell sends what comes next of a stream, a bite at a time: its events are copied for their
// ids, and many clients may be told the same.
func (x *numbering) tell(ctx context.Context, to *feed, part replay.Part, lease *memory.Lease) error {
	for b, first := part.Bytes, true; first || len(b) > 0; first = false {
		bite := b[:biteOf(b)]
		b = b[len(bite):]
		if err := x.send(ctx, to, part.Head, bite, part.Ended && len(b) == 0, lease); err != nil {
			return err
		}
	}
	return nil
}

func (x *numbering) send(ctx context.Context, to *feed, head replay.Head, bite []byte, last bool, lease *memory.Lease) error {
	if n := int64(len(bite)); n > mostBite { // a single event
		if err := lease.Grow(ctx, n); err != nil {
			return err
		}
		defer lease.Shrink(n)
	}
	out, err := x.take(head, bite, last)
	if err != nil {
		return err
	}
	return to.Send(out, false)
}

// mostBite is how much of a stream is sent at once, unless an event is longer.
const mostBite = 64 << 10

// biteOf is how long the next bite of b is: whole events.
func biteOf(b []byte) int {
	if len(b) <= mostBite {
		return len(b)
	}
	n := 0
	for n < mostBite {
		end, _, _ := eventEnd(b[n:])
		if end == 0 {
			return len(b)
		}
		n += end
	}
	return n
}

// take gives what is to be sent of the next bytes.
func (x *numbering) take(head replay.Head, b []byte, last bool) ([]byte, error) {
	if !strings.HasPrefix(head.Type, wire.EventStream) {
		if x.after > 0 {
			return nil, errNoEvents()
		}
		return b, nil
	}
	if len(x.rest) > 0 {
		b, x.rest = append(x.rest, b...), nil
	}
	out := make([]byte, 0, len(b)+len(b)/8+16)
	for len(b) > 0 {
		end, line, blank := eventEnd(b)
		if end == 0 {
			if !last {
				x.rest = slices.Clone(b)
				break
			}
			end = len(b)
		}
		event := b[:end]
		b = b[end:]
		switch {
		case blank:
		case isComment(event):
			if x.shown {
				event = trimSign(event)
			}
		default:
			x.n++
			if x.n > x.after && x.shown {
				out = appendEvent(append(strconv.AppendInt(append(out, "id: "...), x.n, 10), line...), event)
				continue
			}
		}
		if x.n > x.after {
			out = append(out, event...)
		}
	}
	if last && x.n < x.after {
		return nil, errNoEvents()
	}
	return out, nil
}

// eventEnd is the length of the first event of b with the blank line that ends it, 0 where that
// has not come; how its lines end; and whether it is nothing but a blank line.
func eventEnd(b []byte) (end int, line string, blank bool) {
	line = "\n"
	for at := 0; at < len(b); {
		stop := at
		for stop < len(b) && b[stop] != '\n' && b[stop] != '\r' {
			stop++
		}
		if stop == len(b) {
			return 0, line, false
		}
		next := stop + 1
		if b[stop] == '\r' && next < len(b) && b[next] == '\n' {
			next++
		}
		if at == 0 {
			line = string(b[stop:next])
		}
		if stop == at {
			return next, line, at == 0
		}
		at = next
	}
	return 0, line, false
}

// isComment reports whether there is nothing but comments in an event: nobody hears of those.
func isComment(event []byte) bool {
	for line := range bytes.FieldsFuncSeq(event, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line[0] != ':' {
			return false
		}
	}
	return true
}

// trimSign leaves out the blank line behind a comment. Once a stream has ids, OpenAI's client for Python reads any blank line
// as an event, and fails on one without data.
func trimSign(sign []byte) []byte {
	for _, line := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasPrefix(sign, []byte{':'}) && bytes.HasSuffix(sign, []byte(line+line)) {
			return sign[:len(sign)-len(line)]
		}
	}
	return sign
}

// appendEvent appends an event without ids of its upstream's.
func appendEvent(dst, event []byte) []byte {
	for at := 0; at < len(event); {
		stop := at
		for stop < len(event) && event[stop] != '\n' && event[stop] != '\r' {
			stop++
		}
		next := min(stop+1, len(event))
		if next < len(event) && event[stop] == '\r' && event[next] == '\n' {
			next++
		}
		if field, _, _ := bytes.Cut(event[at:stop], []byte{':'}); string(field) != "id" {
			dst = append(dst, event[at:next]...)
		}
		at = next
	}
	return dst
}

package provider

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"stele/internal/wire"
)

// streams reports whether the answer comes as a stream. Some servers announce one as JSON
// or as text, or do not say what they send: then its beginning tells.
func (x *exchange) streams() bool {
	if contentType(x.answer) == wire.EventStream {
		return true
	}
	const most = 512 // blanks that keep a connection alive
	begin := &opening{ReadCloser: x.answer.Body}
	begin.seen = begin.room[:0]
	x.answer.Body = begin
	for range most {
		b, ok := begin.look()
		if !ok {
			return false
		}
		switch b {
		case ' ', '\t', '\r', '\n', byteOrder[0], byteOrder[1], byteOrder[2]:
		case ':', 'd', 'e', 'i', 'r': // a comment, data, event, id, retry
			return true
		default:
			return false
		}
	}
	return false
}

// wholeAnswer is one that was announced as a stream: JSON that is no event, where the first one should be.
type wholeAnswer struct{ body []byte }

func (*wholeAnswer) Error() string { return "a whole answer that was announced as a stream" }

// orWhole reads an answer that turned out to be a whole one, or is what else went wrong.
func (x *exchange) orWhole(err error, read func(*exchange) error) error {
	whole, ok := errors.AsType[*wholeAnswer](err)
	if !ok {
		return err
	}
	x.answer.Header["Content-Type"] = jsonType
	x.answer.Body = readCloser{bytes.NewReader(whole.body), x.answer.Body}
	return read(x)
}

// byteOrder is the mark that some servers and proxies put before all else.
const byteOrder = "\xEF\xBB\xBF"

// opening is an answer whose beginning was looked at. That is a byte as a rule, for which a
// buffer would be dear.
type opening struct {
	io.ReadCloser
	seen []byte // what was looked at and not read yet
	room [8]byte
	err  error // what came instead of more; nil: nothing
}

// look is the next byte, which stays to be read. It is not there where the answer has
// ended.
func (o *opening) look() (b byte, ok bool) {
	o.seen = append(o.seen, 0)
	last := o.seen[len(o.seen)-1:]
	if _, o.err = io.ReadFull(o.ReadCloser, last); o.err != nil {
		o.seen = o.seen[:len(o.seen)-1]
		return 0, false
	}
	return last[0], true
}

// Read reads what was looked at, then the rest.
func (o *opening) Read(p []byte) (int, error) {
	if len(o.seen) > 0 {
		n := copy(p, o.seen)
		o.seen = o.seen[n:]
		return n, nil
	}
	if o.err != nil {
		return 0, o.err
	}
	return o.ReadCloser.Read(p)
}

func contentType(answer *http.Response) string {
	said := answer.Header.Get("Content-Type")
	if said == wire.EventStream || said == "application/json" { // as nearly all say it
		return said
	}
	kind, _, _ := mime.ParseMediaType(said)
	return kind
}

package provider

import (
	"bufio"
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
	begin := bufio.NewReaderSize(x.answer.Body, most)
	x.answer.Body = readCloser{begin, x.answer.Body}
	for n := 1; n <= most; n++ {
		b, err := begin.Peek(n)
		if err != nil {
			return false
		}
		switch b[n-1] {
		case ' ', '\t', '\r', '\n':
		case ':', 'd', 'e', 'i', 'r', 0xEF: // a comment, data, event, id, retry, or a byte order mark before them
			return true
		default:
			return false
		}
	}
	return false
}

func contentType(answer *http.Response) string {
	said := answer.Header.Get("Content-Type")
	if said == wire.EventStream || said == "application/json" { // as nearly all say it
		return said
	}
	kind, _, _ := mime.ParseMediaType(said)
	return kind
}

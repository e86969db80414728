package server

import (
	"net/http"
	"sync/atomic"
	"time"
)

// HeaderRoom is where whole lines of the answer's head are appended to, each with its end;
// nil where they must be given to Header. net/http would copy, sort and check every one of
// them, which costs ten times as much as writing it. It is to be filled when the answer is
// about to begin: its memory is large.
func (x *exchange) HeaderRoom() *[]byte {
	if !x.legible || x.status != 0 {
		return nil
	}
	return x.room()
}

func (x *exchange) room() *[]byte {
	if x.lines == nil {
		x.lines = packs.Get().(*[]byte)
		*x.lines = append(*x.lines, statusLine[:]...)
	}
	return x.lines
}

// statusLine is as long as one may be, and written over.
var statusLine [statusRoom]byte

// beginHead gives the answer's head its id, the date and what was appended to its
// HeaderRoom. Nothing of it was written yet.
func (x *exchange) beginHead() {
	if !x.legible {
		if x.id != "" {
			x.Header()["X-Request-Id"] = []string{x.id}
		}
		return
	}
	room := x.room()
	if x.id != "" {
		*room = append(append(append(*room, "X-Request-Id: "...), x.id...), "\r\n"...)
	}
	if h := x.Header(); h["Date"] == nil {
		h["Date"] = nil // so that net/http writes none
		*room = append(*room, dateLine(time.Now())...)
	}
	x.lines = nil
	x.conn.insert(room)
}

// dated is the line of the date in answers of one second.
type dated struct {
	second int64
	line   string
}

var lastDated atomic.Pointer[dated]

func dateLine(now time.Time) string {
	d := lastDated.Load()
	if second := now.Unix(); d == nil || d.second != second {
		d = &dated{second, "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"}
		lastDated.Store(d)
	}
	return d.line
}

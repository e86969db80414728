package meter

import (
	"time"

	"stele/internal/access"
)

// Search picks requests. Empty fields leave nothing out.
type Search struct {
	Workspace   string
	From, Until time.Time // until is not in it
	Class       int       // 2, 4 or 5: the first digit of the status
	Code        string
	Key         string // NoKey: without one
	Model       string
	Provider    string
	Dialect     string
	Stream      string        // "yes" or "no"
	Counted     string        // "told" by the provider, or "estimated"
	User        string        // the end user, as clients name them
	Tag         string        // and its value: team=a
	ID          string        // of the record or of the request, whole
	After       access.Cursor // only what is older than this
}

// Found is a page of requests.
type Found struct {
	Records []Record
	// Next is where the page after this one begins; zero where there is none. It
	// may be there although the page is not full: then so many were looked at that
	// the rest is left for another question.
	Next access.Cursor
}

// Cursor is where in the list r is. The newest are first.
func (r *Record) Cursor() access.Cursor { return access.Cursor{At: r.At, ID: r.ID} }

// Bodies is what a request said and what it was answered, as its client saw it.
// It is kept only where the operator wants it.
type Bodies struct {
	Record    string // the id of the request's record
	Workspace string
	At        time.Time
	Request   Body
	Reply     Body
}

// Body is the text of a message, without its headers.
type Body struct {
	Text string // what is kept of it: its beginning; "" where it is no text
	Size int64  // of all of it
}

package page

import (
	"cmp"
	"net/http"

	"stele/internal/access"
)

// Route is one of the browser's routes. A GET route answers HEAD too.
type Route struct {
	Method  string
	Pattern string      // without the base path; {id} stands for one segment, everything else for itself
	Need    access.Role // the least role that opens it; none: it needs no session
	Serve   Handler

	limit   int64
	again   Ask
	held    bool
	follows bool
}

// Handler serves a route. On an open route the visitor is the zero value. The frame answers
// what it returns.
type Handler func(w http.ResponseWriter, r *http.Request, v access.Visitor) error

// Ask says when a visitor has to prove again who they are.
type Ask func(r *http.Request, v access.Visitor) (bool, error)

// The roles that routes need.
const (
	Open   = access.Role("")
	Guest  = access.Role("guest") // a session, and no role anywhere: no rank at all
	Viewer = access.Viewer
	Member = access.Member
	Owner  = access.Owner
	Admin  = access.Administrator // of the installation, whatever their workspace
)

// How much of a body routes take.
const (
	FormLimit = 64 << 10
	FileLimit = 1 << 40 // of what is kept while it arrives: the room that keeps it says how large it may be
)

// Get is a route that shows something.
func Get(pattern string, need access.Role, serve Handler) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Need: need, Serve: serve, held: need != Open}
}

// Post is a route that changes something.
func Post(pattern string, need access.Role, serve Handler) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Need: need, Serve: serve}
}

// Takes is the route with a body of more than a form's size.
func (r Route) Takes(limit int64) Route {
	r.limit = limit
	return r
}

// Asks is the route for a change of consequence: who has not proven who they are
// within the last quarter of an hour is asked to, and then goes on where they were,
// with what they had filled in.
func (r Route) Asks(again Ask) Route {
	r.again = again
	return r
}

// WithHold is a change whose answer ends with the visitor's session or role, as what is
// shown does. Others are made whole once they are asked for: they may be what ends them.
func (r Route) WithHold() Route {
	r.held = true
	return r
}

// StaysOpen is a route that stays open for as long as there may be news, or bytes on their way: it takes
// no turn of the person's pages, which would wait for it.
func (r Route) StaysOpen() Route {
	r.follows = true
	return r
}

// BodyLimit is how large a body the route takes.
func (r Route) BodyLimit() int64 { return cmp.Or(r.limit, FormLimit) }

// Again is when the route asks for a fresh proof; nil for never.
func (r Route) Again() Ask { return r.again }

// GoesOn reports whether an answer of the route ends with the visitor's session or role.
func (r Route) GoesOn() bool { return r.held }

// Follows reports whether the route stays open for as long as there may be news.
func (r Route) Follows() bool { return r.follows }

// Always asks for a fresh proof.
func Always(*http.Request, access.Visitor) (bool, error) { return true, nil }

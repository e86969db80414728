// Package fault is the one error vocabulary of Stele. Whatever a client may see
// is an *Error with a code of the public contract; everything else is internal
// and shows nothing. It holds the native body too, which several doors answer
// with; the bodies of the chat families are their dialects' business. It must not know
// who asks, nor which API an upstream speaks.
package fault

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"stele/internal/label"
)

// What a client sent comes back in errors, and errors are kept, logged and sent
// again: none may be as long as a body.
const (
	longestMessage = 2048 // bytes
	longestFact    = 512  // bytes of each text in Details
	mostFacts      = 64   // texts of a list in Details
)

// Error is a failure that a client may see.
type Error struct {
	Code       Code           // snake_case, as clients see it
	Message    string         // one sentence for people
	Details    map[string]any // facts for programs; may be nil
	RetryAfter time.Duration  // when trying again makes sense; 0 says nothing
	Spent      bool           // it was tried again already: clients need not
	Limits     []Standing     // those that it falls under, where one of them refused it
	Err        error          // the cause: logged, never shown

	// What steers routing, and is never shown.
	Unreached   bool     // no connection to the upstream came about, whatever was to be asked
	Credentials bool     // the upstream refused this installation's own credentials
	Ordered     bool     // the client ordered the sandbox to fail
	Ours        bool     // a limit of this installation refused it: no upstream was asked
	Elsewhere   bool     // what refused it, a limit of ours or of the upstream's or what its API cannot carry, is about this upstream only
	Endless     bool     // no wait helps against it
	Owed        bool     // the upstream was at work on it or had answered: what it produced is owed, and not known
	Remedy      Remedy   // as what the upstream may take the request after all
	Room        int64    // tokens that its answer may have then
	Seen        int      // pictures that it may have then
	Refused     string   // the parameter that it does not take, by its own name
	TooLong     *TooLong // the conversation is longer than the model's window
	About       any      // what of a conversation it is about: a chat.Loss; nil: not known, or not about one

	// Away says that the database or the place for files could not be reached.
	Away bool
}

// TooLong is what an upstream says of a conversation that is longer than the model's window.
type TooLong struct {
	Tokens, Window int64 // how long it is, and may be; 0: not said
	Input, Output  int64 // where only conversation and answer together are too long; 0: not so
}

// Remedy is a change that makes an upstream take a request that it refused; of a request to be
// changed in several ways, their sum.
type Remedy uint32

// The changes.
const (
	WithoutThoughts Remedy = 1 << iota // it refused their signatures
	WithThoughts                       // it misses those of earlier turns
	SystemFirst                        // it takes system text only at the beginning
	Unenforced                         // it cannot hold a model to so many schemas
	Shorter                            // its answers have no more tokens than Room says
	InTurns                            // it takes turns of the user's and the model's only one by one
	Without                            // it does not know what Refused names
	Blind                              // its model sees no pictures
	Plain                              // it takes words only as one string
	Loose                              // it can make nothing of the bounds in schemas
	Beside                             // it takes only words in the results of tools
	Unhinted                           // it does not know what Refused names, which says nothing of the answer
	Undeveloped                        // it knows the system by no other name
	Systemless                         // its model is told nothing but by the user
	Legible                            // it reads the arguments of calls: they must be JSON
	Rethought                          // its model thinks in another way than Refused names
	Editable                           // what Refused names can be left out of a client's own bytes
	Worded                             // it wants a text, be it empty, beside a signature that is of nothing else
	Fewer                              // it takes no more pictures than Seen says
	Recalled                           // it wants to be told of the tools that were called before
	Repaired                           // it takes what a client's library has made of its own answers only with what that left out, or without what says nothing
	Unbegun                            // its model does not go on with a turn of its own
	Said                               // it takes no turn and no result without words
	Unread                             // it reads no documents
	Unshown                            // it takes none of the pictures as they are: one is too large, or cannot be read
)

// New makes an Error with a message for people. What is too long of it is cut off.
func New(code Code, format string, args ...any) *Error {
	for i, arg := range args {
		if text, ok := arg.(string); ok && len(text) > longestMessage {
			args[i] = label.Cut(text, longestMessage) // before it is quoted, which may take six times its length
		}
	}
	return &Error{Code: code, Message: shorten(fmt.Sprintf(format, args...), longestMessage)}
}

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return label.Cut(text, most-len("…")) + "…"
}

// ErrSlow is the cause of a body that came too slowly. It is answered with 408,
// after which clients try again by themselves.
var ErrSlow = errors.New("the client sent too slowly")

// From finds the Error in err's chain. Any other error becomes Internal, or
// Unavailable where what this installation stands on cannot be reached; it says
// nothing more to the client and keeps err as its cause. From(nil) is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if isAway(err) {
		return NewAway(err)
	}
	return &Error{Code: Internal, Message: "Something went wrong on our side.", Err: err}
}

// Unsure reports whether the error says nothing about what was done before it.
func (e *Error) Unsure() bool { return e.Code == Internal || e.Away }

// With adds a fact to Details and returns e. A text is cut where it is too long, a
// list of texts as well.
func (e *Error) With(name string, value any) *Error {
	if e.Details == nil {
		e.Details = make(map[string]any)
	}
	switch v := value.(type) {
	case string:
		value = shorten(v, longestFact)
	case []string:
		list := make([]string, min(len(v), mostFacts))
		for i := range list {
			list[i] = shorten(v[i], longestFact)
		}
		value = list
	}
	e.Details[name] = value
	return e
}

// After sets when trying again makes sense and returns e.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Field names the parameter that is wrong, in the client's own words, and returns e.
func (e *Error) Field(name string) *Error { return e.With("field", name) }

// Because sets the cause, which is logged and never shown, and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// OurCredentials says that the upstream refused this installation's and returns e.
func (e *Error) OurCredentials() *Error {
	e.Credentials = true
	return e
}

// AsOrdered says that the client ordered the failure and returns e.
func (e *Error) AsOrdered() *Error {
	e.Ordered = true
	return e
}

// AsOwed says that the upstream may bill what was lost and returns e.
func (e *Error) AsOwed() *Error {
	e.Owed = true
	return e
}

// MendedBy says as what the upstream may take the request after all and returns e.
func (e *Error) MendedBy(r Remedy) *Error {
	e.Remedy = r
	return e
}

// Lasting reports whether the same request, sent again soon, would be answered so
// again: what is wrong is the request, or trying again was of no use already.
func (e *Error) Lasting() bool {
	if e.Spent || e.Code == NotImplemented {
		return true
	}
	switch status := e.Status(); {
	case status == http.StatusRequestTimeout, e.Code == IdempotencyInProgress, e.Code == ConcurrencyLimit, e.Code == RateLimited:
		return false
	default:
		return status < http.StatusInternalServerError
	}
}

// Status is the HTTP status of the native family.
func (e *Error) Status() int {
	if e.Code == InvalidRequestBody && errors.Is(e.Err, ErrSlow) {
		return http.StatusRequestTimeout
	}
	return e.Code.Status()
}

// ChatStatus is the HTTP status in the chat families.
func (e *Error) ChatStatus() int { return chatStatus(e.Status()) }

func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Package replay answers a repeated request with the first one's answer: one
// Idempotency-Key, one effect, through lost answers, twins in parallel and
// crashes. It knows neither what a request asks for nor HTTP.
//
// An answer that takes its time is recorded while it is given (Record): a client that asks again
// reads what is there and follows the rest, and no byte is given before it is saved.
//
// A request first claims its key. The claim holds the id that the thing to be
// made will have, so the process that takes the claim up after a crash can look whether
// it was made, and makes it under the same id if not.
package replay

import (
	"context"
	"errors"
	"time"
)

// Scope is where a key stands for one request: the same key in another
// workspace or on another route is another key.
type Scope struct {
	Workspace string
	Route     string
	Key       string
}

// Answer is what the first request was answered with.
type Answer struct {
	Status int // of HTTP; 0: there is no answer yet
	Type   string
	Header string // what else its header says, in the caller's own form
	Body   []byte // of a recorded answer what comes after its pieces
	Pieces int64  // places that the answer takes up in the store
	Ending Ending
}

// Ending is how a recorded answer ended.
type Ending int

// The endings.
const (
	Whole   Ending = iota
	Cut            // it was broken off: its last bytes say so, and who replays it breaks off as well
	NotKept        // it was given once, and its bytes were not kept
)

// Piece is a part of an answer that is being recorded.
type Piece struct {
	Place int64
	At    time.Time
	Body  []byte
}

// The places of pieces.
const (
	placeAsked = iota // an upstream was asked; its body is the request's id
	placeHead         // status, type and header
	placeBytes        // the first of the answer's bytes
)

// Claim is a key in use, and later its answer.
type Claim struct {
	Scope
	Fingerprint string    // of what was asked: another one under the same key is a conflict
	ID          string    // reserved for what the request makes
	Owner       string    // the process that works on it, by the name it beats under
	Tries       int64     // how many times it was taken up: 1 for the first
	Since       time.Time // when it was first taken up
	Answer      Answer
}

// ErrLost says that a claim is not the caller's any more: another process has
// taken it up, or it was forgotten.
var ErrLost = errors.New("the claim belongs to another")

// ErrUsed says that a key was used before, so that what was to be saved with it was not.
var ErrUsed = errors.New("the key was used before")

// Store keeps claims, one for each scope. Each method is one transaction.
type Store interface {
	// Claim takes up c's scope for c.Owner and gives the claim that stands there
	// afterwards. It is the caller's (true) in two cases:
	//   - nothing stands there, or only what is older than old (by Since): c is
	//     saved as it is, with one try;
	//   - a claim without an answer stands there, with c's fingerprint, and its
	//     owner is c.Owner itself or a process that has not been heard of since
	//     silent (or never was): it becomes c.Owner's, with one try more; ID, Since
	//     and fingerprint stay as they are.
	// In any other case nothing is changed, and what stands there comes with
	// false. Of callers at the same time at most one is given true.
	Claim(ctx context.Context, c Claim, old, silent time.Time) (Claim, bool, error)
	// FinishClaim saves c.Answer. It is ErrLost unless owner and tries of the claim
	// at c's scope are still c's.
	FinishClaim(ctx context.Context, c Claim) error
	// FreeClaim removes the claim, as if it had never been. It is ErrLost as for
	// FinishClaim.
	FreeClaim(ctx context.Context, c Claim) error
	// AppendPiece saves a piece of the answer to a claim. It is ErrLost as for FinishClaim.
	AppendPiece(ctx context.Context, c Claim, p Piece) error
	// Pieces lists the pieces of the answer to the claim of an id from a place on, in
	// their order.
	Pieces(ctx context.Context, id string, from int64) ([]Piece, error)
	// ForgetAsked takes back that an upstream was asked for those of the claims that are
	// still owner's and have neither an answer nor a piece of one.
	ForgetAsked(ctx context.Context, owner string, claims []string) error
	// DeleteClaimsBefore forgets claims that were taken up before a time, a bite
	// at a time, and says how many. Their pieces go as well.
	DeleteClaimsBefore(ctx context.Context, before time.Time) (int64, error)
}

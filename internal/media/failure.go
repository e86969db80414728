package media

import (
	"errors"
	"fmt"
	"time"

	"stele/internal/fault"
)

// Class is a sort of failure: who is to blame and whether trying again can help.
type Class string

// The classes, one vocabulary for every provider.
const (
	BadInput      Class = "bad_input"
	PolicyInput   Class = "policy_input"
	PolicyOutput  Class = "policy_output"
	Auth          Class = "auth"
	Quota         Class = "quota"
	Rate          Class = "rate"
	Concurrency   Class = "concurrency"
	Transient     Class = "transient" // nothing was started, or only a look failed
	ModelFailed   Class = "model_failed"
	Gone          Class = "gone"           // the maker does not know the ticket any more
	SubmitUnknown Class = "submit_unknown" // the answer was lost: the work may have been accepted
	Late          Class = "deadline"
	Stopped       Class = "canceled"
	Panicked      Class = "panicked" // the program itself failed in it
	Storage       Class = "storage"  // this installation cannot read or keep its own files now: nothing was started
)

// Failure is why a maker did not make something. It is an error.
type Failure struct {
	Class      Class
	Code       string        // the provider's own word
	Message    string        // for the client: no secret, no address
	RetryAfter time.Duration // as the provider asked
	Charged    bool          // the provider charges for it as for a success
	Err        error         // the cause: logged, never shown
}

func (f *Failure) Error() string {
	text := fmt.Sprintf("%s: %s", f.Class, f.Message)
	if f.Code != "" {
		text += " (" + f.Code + ")"
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Err }

// CanTryAgain reports whether the same request may be sent once more: nothing was
// started and nothing was paid.
func (f *Failure) CanTryAgain() bool {
	return f.Class == Rate || f.Class == Concurrency || f.Class == Transient || f.Class == Storage
}

// Ours reports whether this installation's own storage is to blame, which passes, and no
// provider.
func (f *Failure) Ours() bool {
	e, ok := errors.AsType[*fault.Error](f.Err)
	return f.Class == Storage || ok && e.Away
}

// TaskCode is the code that a task shows for the failure.
func (f *Failure) TaskCode() string {
	switch f.Class {
	case BadInput:
		return "invalid_input"
	case PolicyInput, PolicyOutput:
		return "content_policy"
	case Auth:
		return "provider_rejected_credentials"
	case ModelFailed, Panicked:
		return "generation_failed"
	case Late, Storage: // it was tried until then
		return "timeout"
	case Stopped:
		return "canceled"
	}
	return "provider_unavailable"
}

// ToFailure makes a Failure of err. What is none is taken for a passing trouble, our own where
// it says so, of which nothing more is told to the client.
func ToFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Away {
		return &Failure{Class: Storage, Message: "The server could not reach its storage.", RetryAfter: e.RetryAfter, Err: err}
	}
	return &Failure{Class: Transient, Message: "The provider could not be reached.", Err: err}
}

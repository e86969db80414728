package chat

import (
	"errors"

	"stele/internal/fault"
)

// Spoilt is why an answer is of no use that came, whole or in part. Its upstream counts it
// all the same: what it used is owed.
type Spoilt struct {
	Usage Usage
	Err   error // what is wrong with it; may be nil
}

// Spoil is an error about an answer that came, with what the answer used.
func Spoil(err error, used Usage) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return &Spoilt{used, err}
	}
	owed := *e
	return owed.Because(&Spoilt{used, e.Err}).AsOwed()
}

func (s *Spoilt) Error() string {
	if s.Err == nil {
		return "the answer is of no use"
	}
	return s.Err.Error()
}

// Unwrap gives what is wrong with the answer.
func (s *Spoilt) Unwrap() error { return s.Err }

package console

import (
	"io"
	"net/http"
	"time"

	"stele/internal/access"
)

// askEvery is how old the word may be that the sender of a change may make it.
const askEvery = time.Second

// arriving is the body of a change. It may take minutes, and what its sender may do was
// asked before its first byte: so it is asked again while it comes. The end of a slow
// body changes nothing that a new request could not.
type arriving struct {
	io.ReadCloser

	still func() error // says why the sender may not go on
	now   func() time.Time
	asked time.Time
	err   error // what still has said
}

// await has the body of a visitor's change be asked about while it arrives.
func (c *Console) await(r *http.Request, v access.Visitor) *arriving {
	return &arriving{
		ReadCloser: r.Body, now: c.Now, asked: c.Now(),
		still: func() error { return c.access.CheckPresence(r.Context(), v) },
	}
}

// Read reads on.
func (a *arriving) Read(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.ReadCloser.Read(p)
	if now := a.now(); now.Sub(a.asked) >= askEvery {
		a.asked = now
		if a.err = a.still(); a.err != nil {
			return 0, a.err
		}
	}
	return n, err
}

// toRefusal says what a request has ended with: where its sender may not go on, why that
// is, in whichever words it was passed up.
func (a *arriving) toRefusal(err error) error {
	if err != nil && a.err != nil {
		return a.err
	}
	return err
}

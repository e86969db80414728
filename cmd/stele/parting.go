package main

import (
	"context"

	"stele/internal/generation"
	"stele/internal/media"
)

// parting is the maker of an account that was removed: it sees through what it
// has accepted, and accepts nothing more.
func parting(m generation.Maker) generation.Maker {
	gone := leaver{m}
	if f, ok := m.(generation.Finder); ok {
		return leavingFinder{gone, f}
	}
	return gone
}

type leaver struct{ generation.Maker }

// Submit refuses: nobody may spend anything on the account any more.
func (leaver) Submit(context.Context, media.Request) (media.Status, error) {
	return media.Status{}, &media.Failure{Class: media.Quota, Message: "The provider of this model is not configured any more."}
}

// Forget lets go of outputs that were copied.
func (l leaver) Forget(t media.Ticket) {
	if f, ok := l.Maker.(generation.Forgetter); ok {
		f.Forget(t)
	}
}

// leavingFinder is a leaver that can look up what it may have accepted.
type leavingFinder struct {
	leaver
	generation.Finder
}

package blueprint

import (
	"slices"

	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/provider/background"
)

// Calls that answer only with the work are paid for when they are made: they live
// on when the account is changed, until their outputs were copied.

// unfinishedWork is the work of a maker before this one, and of those before it.
func unfinishedWork(before generation.Maker) []*background.Maker {
	var m *Maker
	switch b := before.(type) {
	case *Maker:
		m = b
	case *Finder:
		m = b.Maker
	}
	if m == nil {
		return nil
	}
	var list []*background.Maker
	for _, b := range append(m.former, m.behind) {
		if b != nil && b.Busy() {
			list = append(list, b)
		}
	}
	return list
}

// Rest begins no more calls that answer only with the work.
func (m *Maker) Rest() {
	if m.behind != nil {
		m.behind.Rest()
	}
}

// HasOwed reports whether such calls are under way, or what they brought is not copied yet.
func (m *Maker) HasOwed() bool {
	return slices.ContainsFunc(unfinishedWork(m), (*background.Maker).HasOwed)
}

// Busy reports whether calls are under way, or their outputs not fetched yet.
func (m *Maker) Busy() bool { return len(unfinishedWork(m)) > 0 }

// holderOf is who has the work of a key; a new one is for the account as it is now.
func (m *Maker) holderOf(key string) *background.Maker {
	for _, b := range m.former {
		if b.Holds(key) {
			return b
		}
	}
	return m.behind
}

func (m *Maker) holderOfTicket(t *ticket) *background.Maker {
	return m.holderOf(background.KeyOf(media.Ticket(t.Inner)))
}

// Package share says how much of a disk one workspace may hold, so that none fills it for
// the others. It must not know what is held or where that lies: it is told sums, and what
// is free.
package share

import (
	"fmt"

	"stele/internal/fault"
)

const (
	// times is how much a workspace may hold of what is free: one alone stops at four fifths of a
	// disk, and however many fill it, each leaves something to the next.
	times = 4
	// small is what every workspace may hold, in each place: one that holds little hears of a
	// disk that is full from the disk.
	small = 256 << 20
)

// Held is what a workspace has on disk, or may have there, in bytes.
type Held struct {
	Files int64 // uploaded and made
	Rows  int64 // of the database, about
}

func (h Held) plus(more Held) Held { return Held{h.Files + more.Files, h.Rows + more.Rows} }

// All is what is held everywhere.
func (h Held) All() int64 { return h.Files + h.Rows }

// Unknown is what is free where nothing can be said of it: in object storage, in a database
// on another machine.
const Unknown = -1

// Sums are what a workspace was found to hold.
type Sums struct {
	Held
	Alone bool // there is no other workspace that it could crowd out
}

// Standing is how a workspace stands: what it holds and what it may hold.
type Standing struct {
	Held Held
	Most Held  // of each place; Unknown: any amount
	All  int64 // of all of them together; 0: any amount
}

// StandingOf holds sums against what is free, or against most where the operator has said how
// much any workspace may hold.
func StandingOf(sums Sums, free Held, most int64) Standing {
	s := Standing{Held: sums.Held, Most: Held{Unknown, Unknown}, All: most}
	if most > 0 || sums.Alone {
		return s
	}
	s.Most = Held{part(free.Files), part(free.Rows)}
	return s
}

func part(free int64) int64 {
	if free < 0 {
		return Unknown
	}
	return max(small, times*free)
}

// refuse refuses more for a workspace that holds as much as it may; nil: it may go on.
func (s Standing) refuse(more Held) error {
	with := s.Held.plus(more)
	for _, p := range []struct{ held, with, most int64 }{
		{s.Held.All(), with.All(), s.All}, {s.Held.Files, with.Files, s.Most.Files}, {s.Held.Rows, with.Rows, s.Most.Rows},
	} {
		if p.most > 0 && p.with > p.most {
			return fault.New(fault.PermissionDenied, "This workspace holds %s of the %s on disk that it may hold now: "+
				"delete generations that are not needed any more, wait until old files end, or ask the operator for more.", Text(p.held), Text(p.most)).
				With("held", p.held).With("limit", p.most)
		}
	}
	return nil
}

// Fullest is the place of which the largest part is taken: what is held there, and what may be.
// most is 0 where any amount may.
func (s Standing) Fullest() (held, most int64) {
	held = s.Held.All()
	for _, p := range []struct{ held, most int64 }{{s.Held.All(), s.All}, {s.Held.Files, s.Most.Files}, {s.Held.Rows, s.Most.Rows}} {
		if p.most > 0 && (most == 0 || float64(p.held)/float64(p.most) > float64(held)/float64(most)) {
			held, most = p.held, p.most
		}
	}
	return held, most
}

// Text is a number of bytes for people.
func Text(bytes int64) string {
	switch {
	case bytes >= 10<<30:
		return fmt.Sprintf("%d GB", bytes>>30)
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d KB", (bytes+1<<10-1)>>10)
}

package limit

import (
	"slices"
	"time"
)

// recent adds up what was taken in the last sixty seconds, a tenth of a second at a time.
type recent struct {
	slots []slot // the oldest first
	sum   int64
}

type slot struct {
	at int64 // in tenths of a second
	n  int64
}

const (
	slotLength  = 100 * time.Millisecond
	recentSlots = int64(time.Minute / slotLength)
)

func slotAt(now time.Time) int64 { return now.UnixMilli() / slotLength.Milliseconds() }

// add counts n more, taken at a time that may lie back.
func (r *recent) add(taken time.Time, n int64) {
	if n == 0 {
		return
	}
	at, i := slotAt(taken), len(r.slots)
	for i > 0 && r.slots[i-1].at > at {
		i--
	}
	if i > 0 && r.slots[i-1].at == at {
		r.slots[i-1].n += n
	} else {
		r.slots = slices.Insert(r.slots, i, slot{at, n})
	}
	r.sum += n
}

// total is what was taken in the last sixty seconds.
func (r *recent) total(now time.Time) int64 {
	gone, first := 0, slotAt(now)-recentSlots
	for gone < len(r.slots) && r.slots[gone].at < first {
		r.sum -= r.slots[gone].n
		gone++
	}
	if gone > 0 {
		r.slots = append(r.slots[:0], r.slots[gone:]...)
	}
	return r.sum
}

// until is how long it takes until n more have room below most, where nothing else is taken.
func (r *recent) until(now time.Time, n, most int64) time.Duration {
	over := r.total(now) + n - most
	for _, s := range r.slots {
		if over <= 0 {
			break
		}
		over -= s.n
		if over <= 0 {
			leaves := time.UnixMilli((s.at + recentSlots + 1) * slotLength.Milliseconds())
			return min(max(leaves.Sub(now), slotLength), time.Minute)
		}
	}
	return slotLength
}

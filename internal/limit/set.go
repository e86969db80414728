package limit

import (
	"hash/maphash"
	"math"
	"strings"
	"sync/atomic"
	"time"
)

// sets are the counters that calls were found to fall under, by key, model and provider. A
// set that another one takes the place of is found anew.
type sets [256]atomic.Pointer[set]

// set is the counters that calls of one sort fall under.
type set struct {
	of          Call // without end user and tags
	counters    []*counter
	from, until int64 // the windows of all of them, in Unix milliseconds
}

var setSeed = maphash.MakeSeed()

func (s *sets) at(c *Call) *atomic.Pointer[set] {
	hash := maphash.String(setSeed, c.Key) + 3*maphash.String(setSeed, c.Model) + 5*maphash.String(setSeed, c.Provider)
	return &s[hash%uint64(len(s))]
}

// findSet finds the set of a call; nil where it must be found. Its counters may be forgotten by
// now, which try tells.
func (r *rules) findSet(c *Call, now time.Time) *set {
	s := r.sets.at(c).Load()
	if s == nil || s.of.Key != c.Key || s.of.Model != c.Model || s.of.Provider != c.Provider || s.of.Person != c.Person || s.of.Workspace != c.Workspace {
		return nil
	}
	if at := now.UnixMilli(); at < s.from || at >= s.until {
		return nil
	}
	return s
}

// keepSet keeps the set of a call, unless it is another one for each end user or tag.
func (r *rules) keepSet(c *Call, parts []part) {
	for _, some := range [2][]*rule{r.all, r.their[c.Workspace]} {
		for _, one := range some {
			if one.callers {
				return
			}
		}
	}
	s := &set{
		of:    Call{Workspace: c.Workspace, Key: c.Key, Person: c.Person, Model: strings.Clone(c.Model), Provider: c.Provider},
		until: math.MaxInt64, counters: make([]*counter, len(parts)),
	}
	for i, p := range parts {
		s.counters[i], s.from = p.of, max(s.from, p.of.name.Start.UnixMilli())
		if end := p.of.name.End; !end.IsZero() {
			s.until = min(s.until, end.UnixMilli())
		}
	}
	r.sets.at(c).Store(s)
}

// dropSet has the set of a call found anew.
func (r *rules) dropSet(c *Call) { r.sets.at(c).Store(nil) }

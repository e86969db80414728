package limit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/fault"
	"stele/internal/revision"
)

const (
	storeTime = 5 * time.Second // for one statement
	patience  = 2 * time.Second // how long a request waits for what others hold
	lookAgain = 100 * time.Millisecond

	aheadSeconds = 600 // so long a server goes on alone with what it has on lease
	aheadPart    = 128 // of what is left, one server has such a part ahead at most
)

// errAway says that the database was not asked because it did not answer a moment ago.
var errAway = errors.New("the database is away")

// Options are what a Service stands on.
type Options struct {
	Store Store
	Node  string // of the data folder, the same after a restart
	Log   *slog.Logger
	Now   func() time.Time
	Alone bool // no other server works with the Store: what is asked of limits need not be told

	Refused func(Measure) // told of each call and task that a limit refused; may be nil
}

// Service holds and settles. It is safe for concurrent use.
type Service struct {
	Options
	rules     atomic.Pointer[rules]
	awayUntil atomic.Int64 // Unix milliseconds: no request asks the database before, for it did not answer

	loading  sync.Mutex // one at a time; guards revision
	revision int64      // of the rules

	sequence int64           // of what was given back last; Run alone uses it and what follows
	unsure   map[int64]int64 // what was being given back when the database failed
	heard    time.Time       // when this node last said that it lives
	lost     bool            // it was silent for so long since that the others may have its part
}

// New makes a Service without limits; Load reads them.
func New(o Options) *Service {
	s := &Service{Options: o}
	s.rules.Store(&rules{})
	return s
}

// leaveAlone has requests get by without the database for a while.
func (s *Service) leaveAlone(d time.Duration) { s.awayUntil.Store(s.Now().Add(d).UnixMilli()) }

func (s *Service) isAway() bool { return s.Now().UnixMilli() < s.awayUntil.Load() }

// rules are all limits, found by whose calls they are about.
type rules struct {
	byID  map[string]*rule
	all   []*rule            // about the calls of all workspaces
	their map[string][]*rule // by workspace
	sets  sets
}

// rule is a limit with its counters. What kind of limit it is never changes, its
// amount and the like may.
type rule struct {
	kind    Limit // as it was when it was first seen
	sliding bool  // what kind says, for it is asked many times for every call
	durable bool  // as well
	zone    *time.Location
	current atomic.Pointer[Limit]
	policy  atomic.Pointer[fault.Policy] // what callers are told of it
	callers bool                         // it tells end users or tags apart

	latest atomic.Pointer[counter] // the one that was made or looked for last; nil: none

	mu       sync.Mutex // guards what follows
	window   span
	counters map[counterKey]*counter
}

func newRule(l Limit) *rule {
	r := &rule{kind: l, sliding: l.sliding(), durable: l.Durable(), zone: time.UTC, counters: make(map[counterKey]*counter)}
	r.callers = slices.ContainsFunc(l.Subject, func(s Selector) bool { return s.By == ByUser || strings.HasPrefix(string(s.By), string(ByTag)) })
	r.become(&l)
	return r
}

// become takes over what may change of a limit, and returns what it was before.
func (r *rule) become(l *Limit) (was *Limit) {
	r.policy.Store(fault.NewPolicy(l.Name, string(l.Measure), l.Amount, l.Window.Length()))
	return r.current.Swap(l)
}

type counterKey struct {
	subject string
	start   int64
}

func (r *rule) limit() *Limit { return r.current.Load() }

// Load reads the limits where they have changed.
func (s *Service) Load(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	latest, err := s.Store.LimitRevision(ctx)
	if err != nil || latest == s.revision && s.rules.Load().byID != nil {
		return err
	}
	list, err := s.Store.Limits(ctx)
	if err != nil {
		return err
	}
	old := s.rules.Load().byID
	next := &rules{byID: make(map[string]*rule, len(list)), their: make(map[string][]*rule)}
	for _, l := range list {
		r := old[l.ID]
		if r == nil {
			r = newRule(l)
			if in, err := zone(l.Zone); err == nil {
				r.zone = in
			} else {
				s.Log.LogAttrs(ctx, slog.LevelError, "the time zone of a limit is not known here: UTC is used", slog.String("limit", l.ID), slog.Any("error", err))
			}
		}
		if was := r.become(&l); l.Amount < was.Amount {
			r.recall()
		}
		next.byID[l.ID] = r
		if l.Workspace == "" {
			next.all = append(next.all, r)
		} else {
			next.their[l.Workspace] = append(next.their[l.Workspace], r)
		}
	}
	s.rules.Store(next)
	s.revision = latest
	return nil
}

// recall has what is free of the limit's leases given back with the next beat: it was
// given when there was more of it.
func (r *rule) recall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.counters {
		c.mu.Lock()
		c.recalled = true
		c.mu.Unlock()
	}
}

// Subscriber takes over changes of limits.
func (s *Service) Subscriber() revision.Subscriber {
	return revision.Subscriber{What: "limits", Of: []string{"limits"}, CatchUp: s.Load}
}

// Any reports whether there are limits that a workspace's calls could fall under.
func (s *Service) Any(workspace string) bool {
	if s == nil {
		return false
	}
	r := s.rules.Load()
	return len(r.all) > 0 || len(r.their[workspace]) > 0
}

// appendParts appends the counters that a call falls under to a list. Nothing is held of them.
func (r *rules) appendParts(list []part, c *Call, now time.Time) []part {
	for _, some := range [2][]*rule{r.all, r.their[c.Workspace]} {
		for _, r := range some {
			if subject, ok := r.kind.subject(c); ok {
				list = append(list, part{of: r.find(subject, now)})
			}
		}
	}
	return list
}

// find is counter without a lock where the call before was about the same subject. It may be
// forgotten by now, which try tells.
func (r *rule) find(subject string, now time.Time) *counter {
	if c := r.latest.Load(); c != nil && c.name.Subject == subject && c.covers(now) {
		return c
	}
	return r.counter(subject, now)
}

// counter finds or makes that of a subject at a time.
func (r *rule) counter(subject string, now time.Time) *counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.window.has(now) {
		r.window = r.kind.spanAt(now, r.zone)
	}
	key := counterKey{subject, r.window.start.UnixMilli()}
	c := r.counters[key]
	if c == nil {
		c = &counter{
			rule: r, name: Counter{Limit: r.kind.ID, Subject: subject, Start: r.window.start, End: r.window.end},
			unit: r.kind.Measure.unit(), sliding: r.sliding, durable: r.durable, share: r.limit().Amount,
		}
		r.counters[key] = c
	}
	c.found = now // so that it is not forgotten meanwhile
	r.latest.Store(c)
	return c
}

// touch has a counter remembered that a call still waits for.
func (c *counter) touch(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = uint32(now.Unix())
}

// isGone reports whether the counter was forgotten: what a call takes is another one's.
func (c *counter) isGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// each calls f with every counter, none of them locked.
func (s *Service) each(f func(*counter)) {
	for _, r := range s.rules.Load().byID {
		r.mu.Lock()
		list := make([]*counter, 0, len(r.counters))
		for _, c := range r.counters {
			list = append(list, c)
		}
		r.mu.Unlock()
		for _, c := range list {
			f(c)
		}
	}
}

// Package route tries the targets of a model until one serves: order, retries,
// breakers. It must not know what is tried.
package route

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/pause"
	"stele/internal/recent"
)

const (
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second // an upstream that wants more is left to the client
)

// Router tries targets. It is safe for concurrent use.
type Router struct {
	circuits circuits
	tallies  tallies
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	random   func() float64
}

// New makes a Router.
func New() *Router {
	return &Router{now: time.Now, sleep: pause.For, random: rand.Float64, circuits: circuits{by: recent.New[address, *circuit](mostCircuits)}}
}

// Do tries the model's targets for a caller until one serves. Try must not have answered
// the client when it fails. The number of tries is returned in any case. What one
// caller's requests do to a target holds no other caller back.
func (r *Router) Do(ctx context.Context, caller string, m *catalog.Model, try func(context.Context, catalog.Target) error) (tries int, err error) {
	order := r.arrange(m)
	if len(order) == 0 {
		return 0, fault.New(fault.Unavailable, "The model %q has no target.", m.ID)
	}
	var last error
	var room struct { // on the stack, for as many as there usually are
		dead  [8]bool
		fails [8]error
	}
	dead := append(room.dead[:0], make([]bool, len(order))...)    // trying again there cannot help
	fails := append(room.fails[:0], make([]error, len(order))...) // why each failed last
	unfit := 0                                                    // targets that cannot take the request: that costs the others no try
	for n := 0; tries-unfit < max(len(order)-unfit, 1+m.Retries) && n < (1+m.Retries)*len(order); n++ {
		at := n % len(order)
		if dead[at] {
			if !slices.Contains(dead, false) {
				break
			}
			continue
		}
		target := order[at]
		circuit := r.circuits.of(address{target.Provider, target.Model})
		done, held := circuit.allow(caller, r.now())
		if held != nil {
			dead[at] = true
			last = errors.Join(unrefused(last), whyHeldBack(m, held))
			continue
		}
		if n >= len(order) { // all were tried: give them time
			if err := r.pause(ctx, n/len(order), fails[at]); err != nil {
				done(errGone, r.now())
				return tries, err
			}
		}
		tries++
		err := try(ctx, target)
		v := judge(err)
		if err != nil && ctx.Err() != nil {
			v.blame = errGone
		}
		done(v.blame, r.now())
		if v.hold > 0 {
			circuit.hold(caller, v.hold, r.now())
		}
		if e, ok := errors.AsType[*fault.Error](err); !ok || !e.Ours && !e.Away {
			r.Note(target.Provider, err)
		}
		if err == nil || v.final || ctx.Err() != nil {
			return tries, err
		}
		fails[at], dead[at] = err, v.elsewhere
		if last = told(last, err); v.refused {
			unfit++
		}
	}
	return tries, exhaustedError(last, tries)
}

// arrange puts the targets in the order they are tried.
func (r *Router) arrange(m *catalog.Model) []catalog.Target {
	if !m.Balance || len(m.Targets) < 2 {
		return m.Targets
	}
	rest := append([]catalog.Target(nil), m.Targets...)
	order := make([]catalog.Target, 0, len(rest))
	for len(rest) > 0 {
		total := 0
		for _, t := range rest {
			total += t.Weight
		}
		at, point := 0, r.random()*float64(total)
		for at < len(rest)-1 && point >= float64(rest[at].Weight) {
			point -= float64(rest[at].Weight)
			at++
		}
		order = append(order, rest[at])
		rest = append(rest[:at], rest[at+1:]...)
	}
	return order
}

// verdict is what a failure means for the next try.
type verdict struct {
	final     bool          // no target could do better
	elsewhere bool          // another target could, this one cannot
	refused   bool          // for what the request says, which another target may take: one that fails only now is told of instead
	blame     error         // counts against the target
	hold      time.Duration // for which its provider does not want to be called; 0: it did not say, or not for long
}

func judge(err error) verdict {
	if err == nil {
		return verdict{}
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return verdict{final: true} // not the upstream's doing: a bug, a client that is gone
	}
	if e.Away {
		return verdict{final: true} // a file of ours could not be read for it: no target did that
	}
	if errors.Is(err, memory.ErrFull) {
		return verdict{final: true} // there is no room here, whichever target is asked
	}
	if e.Ours || e.Elsewhere {
		return verdict{final: !e.Elsewhere, elsewhere: true, refused: e.Elsewhere && !e.Ours}
	}
	if e.Ordered {
		return verdict{final: true} // the client asked the sandbox to fail: that is an answer
	}
	switch e.Code {
	case fault.StrictMode:
		return verdict{elsewhere: true, refused: true}
	case fault.Unavailable, fault.UpstreamError, fault.UpstreamTimeout:
		return verdict{blame: err, elsewhere: e.Credentials}
	case fault.RateLimited:
		v := verdict{elsewhere: e.RetryAfter == 0 || e.RetryAfter > longestPause}
		if e.RetryAfter > longestPause {
			v.hold = e.RetryAfter
		}
		return v
	case fault.ModelNotFound:
		return verdict{elsewhere: true}
	}
	return verdict{final: true}
}

// told is which of two failures the client hears of: the later, but what one target cannot take only where
// no other has failed that can take it, which may pass.
func told(last, err error) error {
	if unrefused(err) == nil && unrefused(last) != nil {
		return last
	}
	return err
}

// unrefused is why targets failed that can take the request, if any did.
func unrefused(last error) error {
	if last == nil || judge(last).refused {
		return nil
	}
	return last
}

// pause waits before a round of tries that follows another, longer each time
// and as long as the upstream asked for.
func (r *Router) pause(ctx context.Context, round int, last error) error {
	wait := min(firstPause<<(round-1), longestPause)
	wait = time.Duration(float64(wait) * (0.5 + r.random()))
	if e, ok := errors.AsType[*fault.Error](last); ok {
		wait = max(wait, e.RetryAfter)
	}
	return r.sleep(ctx, wait)
}

// exhaustedError is what the client hears when every try failed. One that must wait
// for longer than we do is left to try again itself.
func exhaustedError(last error, tries int) error {
	if e, ok := errors.AsType[*fault.Error](last); ok {
		if e.Code == fault.StrictMode {
			return last // which knows what would be lost
		}
		told := *e
		told.Spent = tries > 0 && e.RetryAfter <= longestPause
		return &told
	}
	return fault.New(fault.Unavailable, "The model's providers are failing: try again soon.").After(openFor).Because(last)
}

// whyHeldBack is why a target is not asked, as the client hears it where there is no other.
func whyHeldBack(m *catalog.Model, held error) error {
	w, ok := errors.AsType[*waiting](held)
	if !ok {
		return held
	}
	return fault.New(fault.RateLimited, "The provider of %q asked not to be called for a while.", m.ID).After(w.left).Because(held)
}

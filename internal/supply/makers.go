package supply

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"stele/internal/generation"
	"stele/internal/media"
)

// openMaker is an account's maker and what it was opened with: work behind it goes
// on as long as that does not change.
type openMaker struct {
	generation.Maker

	with string
}

// AddMaker adds a maker that is built in. Nothing may be made yet.
func (s *Supply) AddMaker(name string, m generation.Maker) { s.builtin[name] = m }

// Maker finds who makes media under a name. A removed account sees through what it
// has accepted.
func (s *Supply) Maker(name string) (generation.Maker, bool) {
	if m, ok := s.builtin[name]; ok {
		return m, true
	}
	now := s.current.Load()
	if m, ok := now.makers[name]; ok {
		return m.Maker, true
	}
	m, ok := now.leaving[name]
	if !ok {
		return nil, false
	}
	return withoutOrders(m.Maker), true
}

// Close ends all makers.
func (s *Supply) Close() {
	for _, m := range s.everyMaker() {
		closeMaker(m)
	}
}

// everyMaker are all of them: built in, at work, and on their way out.
func (s *Supply) everyMaker() []generation.Maker {
	list := slices.Collect(maps.Values(s.builtin))
	now := s.current.Load()
	for _, makers := range []map[string]openMaker{now.makers, now.leaving} {
		for _, m := range makers {
			list = append(list, m.Maker)
		}
	}
	return list
}

// caller is a maker of which calls of this process do work that is paid for.
type caller interface {
	Rest()         // begins no more of them
	HasOwed() bool // whether any is under way, or what it brought is not kept yet
}

// callers are those of all makers.
func (s *Supply) callers() []caller {
	var list []caller
	for _, m := range s.everyMaker() {
		if c, ok := m.(caller); ok {
			list = append(list, c)
		}
	}
	return list
}

// Rest begins no more calls of this process that do work which is paid for.
func (s *Supply) Rest() {
	for _, c := range s.callers() {
		c.Rest()
	}
}

// HasOwed reports whether such calls are under way, or what they brought is not kept yet.
func (s *Supply) HasOwed() bool { return slices.ContainsFunc(s.callers(), caller.HasOwed) }

func closeMaker(m generation.Maker) {
	switch c := m.(type) {
	case io.Closer:
		_ = c.Close()
	case interface{ Close() }:
		c.Close()
	}
}

// openMakers opens the accounts of a state that make media, as far as they are not
// what they were.
func (s *Supply) openMakers(next, old *state) error {
	next.makers, next.leaving = make(map[string]openMaker), maps.Clone(old.leaving)
	var problems []error
	for _, p := range next.config.Providers {
		former, ok := old.makers[p.Name]
		with := accountMark(p)
		if ok && former.with == with {
			next.makers[p.Name] = former
			continue
		}
		if !ok {
			former = old.leaving[p.Name]
		}
		made, err := s.o.Connector.Maker(p, MakerOptions{
			Egress: next.egress, Former: former.Maker, Seen: func(err error) { s.noteOrder(p.Name, err) },
		})
		problems = append(problems, err)
		if made != nil {
			next.makers[p.Name] = openMaker{made, with}
		}
	}
	if next.leaving == nil {
		next.leaving = make(map[string]openMaker)
	}
	maps.Copy(next.leaving, old.makers)
	for name := range next.makers { // an account that is back has taken over what was left
		delete(next.leaving, name)
	}
	return errors.Join(problems...)
}

// withoutOrders is the maker of an account that was removed: it accepts nothing more.
func withoutOrders(m generation.Maker) generation.Maker {
	gone := closedMaker{m}
	if f, ok := m.(generation.Finder); ok {
		return closedFinder{gone, f}
	}
	return gone
}

type closedMaker struct{ generation.Maker }

// Submit refuses: nothing may be spent on the account any more.
func (closedMaker) Submit(context.Context, media.Request) (media.Status, error) {
	return media.Status{}, generation.NoMakerError()
}

// Forget lets go of outputs that were copied.
func (m closedMaker) Forget(t media.Ticket) {
	if f, ok := m.Maker.(generation.Forgetter); ok {
		f.Forget(t)
	}
}

// Holds reports whether a call of this process works on something.
func (m closedMaker) Holds(t media.Ticket) bool {
	h, ok := m.Maker.(generation.Holder)
	return ok && h.Holds(t)
}

// closedFinder is a closedMaker that can look up what it may have accepted.
type closedFinder struct {
	closedMaker
	generation.Finder
}

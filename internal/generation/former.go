package generation

import (
	"bytes"
	"context"
	"slices"
	"time"

	"stele/internal/media"
)

// mayReturn is how long a task that was adopted waits for the process it was adopted from,
// where that one alone may know what became of paid work. A process that cannot reach the
// database is silent and lives on.
const mayReturn = 2 * time.Minute

// former is the process that a task was adopted from.
type former struct {
	node  string
	until time.Time // when it is waited for no longer
}

// unheard is the former of a task whose adoption this process has not heard of: it may be any.
const unheard = "?"

// takeOver makes this process the owner of tasks whose own is dead, and remembers from whom they are before a job of one
// of them can ask. Where it fails, some may have been taken over all the same: they are found at the next call.
func (s *Service) takeOver(ctx context.Context, silentSince time.Time) ([]*Task, error) {
	s.adopting.Lock()
	defer s.adopting.Unlock()
	list, err := s.listUnfollowed(ctx)
	if err == nil {
		var adopted []*Task
		adopted, err = s.Store.Adopt(ctx, s.Node, silentSince, adoptAtOnce)
		list = append(list, adopted...)
	}
	if err != nil {
		s.unsure = s.Now()
	}
	for _, t := range list {
		s.remember(t)
	}
	return list, err
}

// listUnfollowed lists tasks that this process adopted and does not work on, because it did not hear of it or could not
// go on with them. It looks for them for a while after something failed: a statement may be executed after its connection broke.
func (s *Service) listUnfollowed(ctx context.Context) (list []*Task, err error) {
	if s.unsure.IsZero() {
		return nil, nil
	}
	ids, err := s.Store.ListOwned(ctx, s.Node)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if s.schedule.follows(id) || s.isActive(id) {
			continue
		}
		t, err := s.Store.Task(ctx, "", id)
		if err != nil {
			return list, err
		}
		if _, again := s.former.Load(id); again && t.Stage != Waiting { // a job of it is under way
			continue
		}
		t.From, t.lapse = unheard, -1 // it is read once more before its maker is asked
		list = append(list, t)
	}
	if s.Now().Sub(s.unsure) > deadAfter {
		s.unsure = time.Time{}
	}
	return list, nil
}

// noteMissed says that this process could not go on with a task that it has adopted.
func (s *Service) noteMissed(t *Task) {
	s.adopting.Lock()
	defer s.adopting.Unlock()
	s.unsure = s.Now()
	s.former.Delete(t.ID)
}

// remember keeps from whom a task was adopted.
func (s *Service) remember(t *Task) {
	now := s.Now()
	s.former.Range(func(id, of any) bool { // those that went back are never asked for again
		if now.After(of.(former).until.Add(mayReturn)) {
			s.former.Delete(id)
		}
		return true
	})
	if t.From != "" {
		s.former.Store(t.ID, former{t.From, now.Add(mayReturn)})
	}
}

// formerWait is how long to wait until a task is looked at again that was adopted from a
// process which may come back with what it knows of it; 0 where none is waited for.
func (s *Service) formerWait(ctx context.Context, t *Task) time.Duration {
	s.adopting.Lock() // the store may know who owns the task now, and this process not yet whose it was
	of, ok := s.former.Load(t.ID)
	unsure := !s.unsure.IsZero()
	s.adopting.Unlock()
	now := s.Now()
	switch {
	case !ok && unsure && now.Before(t.Deadline):
		return firstWait
	case !ok:
		return 0
	}
	from := of.(former)
	known, err := s.Store.LivingNodes(ctx, time.Time{})
	may := err != nil || from.node == unheard || slices.Contains(known, from.node)
	if may && now.Before(from.until) && now.Before(t.Deadline) {
		return firstWait
	}
	s.former.Delete(t.ID)
	return 0
}

// knowsMore reports whether this process can go on with a task that another one has adopted
// meanwhile, and that one cannot: it alone has heard what came of sending it, which was done
// once, or a call of its own does the work.
func (s *Service) knowsMore(held, now *Task) bool {
	switch {
	case held.Stage != now.Stage || !bytes.Equal(held.Ticket, now.Ticket):
		return false
	case now.Stage == Submitting:
		return held.sent && held.Tries == now.Tries
	}
	return s.holds(held)
}

// keepTicket has the price of work learned that was accepted when its task was not waiting
// for that any more. Where the task has ended without knowing, its maker is asked.
func (s *Service) keepTicket(ctx context.Context, t *Task, ticket media.Ticket) error {
	held := *t
	held.Ticket = ticket
	err := s.updateUnsettled(ctx, t, func(t *Task) {
		if t.Ticket == nil {
			t.Ticket, t.NotBefore = ticket, s.Now()
			if s.holds(&held) {
				s.doubtful.Store(t.ID, true)
			}
		}
	})
	if err != nil {
		return err
	}
	return errMoved
}

package generation

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/media"
	"stele/internal/price"
)

const (
	reconcileEvery  = 5 * time.Second
	reconcileAtOnce = 20
	longestDoubt    = 10 * time.Minute // between two looks
	always          = 100 * 365 * 24 * time.Hour
)

// mayHaveCost reports whether a maker may charge for a task that fails: it has accepted
// the work, or may have, and has not said how that ended.
func (s *Service) mayHaveCost(t *Task, f *media.Failure) bool {
	if t.App != "" || t.Nano == 0 || f.Charged {
		return false
	}
	switch f.Class {
	case media.SubmitUnknown:
		return true
	case media.Stopped, media.Late, media.Gone:
		return t.Ticket != nil
	}
	_, gone := s.maker(t)
	return t.Stage == Collecting || gone != nil && (t.Ticket != nil || t.Stage == Submitting)
}

// owedCost is what a task that is set aside has cost, and whether that is sure. Its maker is not
// asked: the question may be what the process died of.
func (s *Service) owedCost(ctx context.Context, t *Task) (nano int64, sure bool) {
	maker, _ := s.maker(t)
	switch {
	case t.App != "":
		return s.spentCost(ctx, t)
	case t.Nano == 0, repeats(maker):
		return 0, true
	case t.Stage == Collecting: // its maker has said that it is made
		return t.Nano, true
	}
	return 0, t.Ticket == nil && t.Stage != Submitting
}

// price asks what a task has cost that did not end with its maker's word. It is not
// definite where the maker cannot tell, or not yet.
func (s *Service) price(ctx context.Context, t *Task) (nano int64, definite bool) {
	maker, failure := s.maker(t)
	if failure != nil {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollTime)
	defer cancel()
	ticket := t.Ticket
	if ticket == nil {
		finder, ok := maker.(Finder)
		if !ok {
			return 0, false
		}
		found, there, err := finder.Find(ctx, t.ID, t.Asked)
		if err != nil || !there {
			return 0, err == nil && !s.Now().Before(t.Asked.Add(finder.SettledAfter()))
		}
		ticket = found
	}
	var status media.Status
	err := s.work(ctx, t, "poll", func(ctx context.Context) (err error) {
		status, err = maker.Poll(ctx, ticket)
		return err
	})
	if err != nil {
		return 0, media.ToFailure(err).Class == media.Gone && repeats(maker) // it makes what it has lost anew
	}
	told := status.Nano > 0 || status.Settled
	switch {
	case !status.State.Final(), status.Failure != nil && status.Failure.Class == media.SubmitUnknown:
		return 0, false
	case told:
		return status.Nano, true
	case status.State == media.Success, status.Failure != nil && status.Failure.Charged:
		return t.Nano, true
	}
	return 0, true
}

// reconcileAll asks makers about tasks whose price is not definite, until ctx ends. What calls
// of this process know is lost with it, and does not wait for what can be asked at any time.
func (s *Service) reconcileAll(ctx context.Context) {
	var both sync.WaitGroup
	for _, some := range []func(context.Context) error{s.reconcileHeld, s.reconcileDue} {
		both.Go(func() { s.reconcileOften(ctx, some) })
	}
	both.Wait()
}

func (s *Service) reconcileOften(ctx context.Context, some func(context.Context) error) {
	for tick := time.Tick(reconcileEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		if err := some(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "prices of generations are not learned", "error", err)
		}
	}
}

// reconcileDue asks about all tasks that may be looked at again.
func (s *Service) reconcileDue(ctx context.Context) error {
	for {
		list, err := s.Store.ListUnsettled(ctx, "", s.Now(), reconcileAtOnce)
		if err != nil {
			return err
		}
		errs := make([]error, len(list))
		var all sync.WaitGroup
		for i := range list {
			all.Go(func() { errs[i] = s.reconcile(ctx, &list[i]) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil || len(list) < reconcileAtOnce {
			return err
		}
	}
}

// reconcileHeld asks about tasks for which calls of this process go on.
func (s *Service) reconcileHeld(ctx context.Context) (err error) {
	s.doubtful.Range(func(id, _ any) bool {
		var t *Task
		if t, err = s.Store.Task(ctx, "", id.(string)); err != nil && !errors.Is(err, access.ErrNotFound) {
			return false
		}
		switch {
		case err != nil || !t.Unsettled || !s.holds(t):
			s.doubtful.Delete(id)
			err = nil
		default:
			if nano, definite := s.price(ctx, t); definite {
				err = s.settleLearned(ctx, t, nano)
			}
		}
		return err == nil
	})
	return err
}

// reconcile asks about one task, and says when to ask again where there is no answer.
func (s *Service) reconcile(ctx context.Context, t *Task) error {
	nano, definite := s.price(ctx, t)
	if definite {
		return s.settleLearned(ctx, t, nano)
	}
	return s.updateUnsettled(ctx, t, func(t *Task) {
		t.NotBefore = s.Now().Add(min(longestDoubt, max(reconcileEvery, s.Now().Sub(t.Ended))))
	})
}

// settleLearned settles a task at what its maker says, who may forget it then.
func (s *Service) settleLearned(ctx context.Context, t *Task, nano int64) error {
	err := s.updateUnsettled(ctx, t, func(t *Task) { s.close(t, nano) })
	if err == nil {
		s.letGo(t, false)
	}
	return err
}

// updateUnsettled changes a task that is not settled yet. One that another process has
// settled stays as it is.
func (s *Service) updateUnsettled(ctx context.Context, t *Task, change func(*Task)) error {
	_, err := s.save(ctx, t, func(t *Task) error {
		if !t.Unsettled {
			return errMoved
		}
		change(t)
		return nil
	})
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// letGo has a maker forget a task that ended without an output, unless its price is
// still to be learned from a call of this process.
func (s *Service) letGo(t *Task, unsettled bool) {
	maker, failure := s.maker(t)
	if failure != nil || t.Ticket == nil {
		return
	}
	if unsettled {
		if s.holds(t) {
			s.doubtful.Store(t.ID, true)
		}
		return
	}
	s.doubtful.Delete(t.ID)
	if f, ok := maker.(Forgetter); ok {
		f.Forget(t.Ticket)
	}
}

// holds reports whether a call of this process works on a task.
func (s *Service) holds(t *Task) bool {
	maker, failure := s.maker(t)
	if failure != nil {
		return false
	}
	h, ok := maker.(Holder)
	return ok && h.Holds(t.Ticket)
}

// close settles a task whose price was in doubt.
func (s *Service) close(t *Task, nano int64) {
	t.Unsettled, t.Nano, t.Updated = false, nano, s.Now()
	t.Credits = media.Credits(nano, s.Settings().CreditsPerUSD)
	t.records = append(t.records, t.settle())
}

// ListUnsettled lists the tasks of a workspace that have ended and may still be charged for.
func (s *Service) ListUnsettled(ctx context.Context, workspace string, most int) ([]Task, error) {
	return s.Store.ListUnsettled(ctx, workspace, s.Now().Add(always), most) // whenever they are looked at next
}

// SettleByHand settles a task whose maker does not say what it cost, as a person says.
func (s *Service) SettleByHand(ctx context.Context, who access.Principal, id string, nano int64) (*Task, error) {
	if !who.Admin && !who.Owns(who.Workspace) {
		return nil, fault.New(fault.PermissionDenied, "Only an owner of the workspace settles what a generation has cost.")
	}
	if nano < 0 {
		return nil, fault.New(fault.InvalidParameter, "A price is not negative.").Field("cost")
	}
	t, err := s.Store.UpdateTask(ctx, who.Workspace, id, func(t *Task) error {
		if !t.Unsettled {
			return fault.New(fault.InvalidParameter, "What this generation has cost is settled.")
		}
		e := s.entry(who, "generation.settle", t)
		e.Changes = []access.Change{{Field: "cost", Old: price.Amount(t.Nano).Decimal(), New: price.Amount(nano).Decimal()}}
		t.Note(e)
		s.close(t, nano)
		return nil
	})
	if errors.Is(err, access.ErrNotFound) {
		err = NoTask()
	}
	return t, err
}

// leaveUnsettled has a task that ends keep what it holds, but for its place among those
// at the same time.
func (t *Task) leaveUnsettled() {
	t.Unsettled, t.NotBefore = true, t.Ended
	if t.aside != nil {
		t.NotBefore = t.Ended.Add(always / 2) // a person settles it
	}
	var kept []limit.Portion
	for _, p := range t.Holds {
		if p.Measure == limit.Generations {
			t.released = append(t.released, limit.Charge{Counter: p.Counter, N: p.N})
		} else {
			kept = append(kept, p)
		}
	}
	t.Holds = kept
}

// ReleasedCharges is what the task gives back of limits before it is settled, for the store.
func (t *Task) ReleasedCharges() []limit.Charge { return t.released }

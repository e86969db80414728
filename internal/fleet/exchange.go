package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"stele/internal/revision"
	"stele/internal/route"
)

// Store is where servers leave what the others are to know.
type Store interface {
	// SaveStates tells how targets are. Those that are well again are taken out.
	SaveStates(ctx context.Context, list []route.State) error
	// ClaimTrial makes a server the one that tries a target, unless another one does.
	ClaimTrial(ctx context.Context, s route.State, now time.Time) error
	// States are how the targets are that are not well.
	States(ctx context.Context) ([]route.State, error)
	// DropStates takes out what is not worth knowing any more.
	DropStates(ctx context.Context, now time.Time) error
}

// Exchange tells the other servers what this one learns of providers, and this one what
// they learn. No request waits for it: whatever is said counts from the next round on.
type Exchange struct {
	Store  Store
	Router *route.Router
	Now    func() time.Time
}

// Subscriber makes a round whenever a server has told something, and as long as a target is
// not well.
func (e *Exchange) Subscriber() revision.Subscriber {
	return revision.Subscriber{What: "what servers know of targets", Of: []string{"targets"}, Due: e.Router.HasNews, CatchUp: e.Round}
}

// Round tells what there is to tell, and hears what the others said. Where there is nothing
// to tell it is one statement.
func (e *Exchange) Round(ctx context.Context) error {
	if news := e.Router.News(); len(news) > 0 {
		if err := e.Store.SaveStates(ctx, news); err != nil {
			e.Router.TakeBack(news)
			return err
		}
	}
	var errs []error
	for _, trial := range e.Router.WantedBreakers() {
		errs = append(errs, e.Store.ClaimTrial(ctx, trial, e.Now()))
	}
	all, err := e.Store.States(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	e.Router.Hear(all)
	if slices.ContainsFunc(all, func(s route.State) bool { return !s.Expires().After(e.Now()) }) {
		errs = append(errs, e.Store.DropStates(ctx, e.Now()))
	}
	return errors.Join(errs...)
}

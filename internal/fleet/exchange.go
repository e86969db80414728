package fleet

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"stele/internal/route"
)

const (
	every    = time.Second            // how late a server may hear of what another one knows
	atMost   = 200 * time.Millisecond // between two rounds, however much happens
	roundFor = 5 * time.Second        // at most
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
	Log    *slog.Logger
	Now    func() time.Time
}

// Run makes a round every second, and at once when there is something to tell, until ctx ends.
func (e *Exchange) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-e.Router.Stirred():
		}
		err := e.Round(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			e.Log.LogAttrs(ctx, slog.LevelWarn, "servers do not hear of each other: each decides for itself", slog.Any("error", err))
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-time.After(atMost):
		}
	}
}

// Round tells what there is to tell, and hears what the others said. Where there is nothing
// to tell it is one statement.
func (e *Exchange) Round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundFor)
	defer cancel()
	if news := e.Router.News(); len(news) > 0 {
		if err := e.Store.SaveStates(ctx, news); err != nil {
			e.Router.Untold(news)
			return err
		}
	}
	var errs []error
	for _, trial := range e.Router.Wanted() {
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

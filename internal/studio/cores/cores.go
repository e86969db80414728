// Package cores says on which processors work is done. A program may have its pieces ask
// before they compute; a processor is held while it computes and never while it waits.
// The package must not know what the work is.
package cores

import (
	"context"
	"runtime"
	"sync"
)

// Lender shares processors among pieces of work.
type Lender interface {
	// Most is how many one piece of work can have.
	Most() int
	// Lend gives a processor until giveBack is called, or an error when ctx ends before
	// there is one.
	Lend(ctx context.Context) (giveBack func(), err error)
}

type key struct{}

// With has work under ctx ask for its processors. Without it all are taken.
func With(ctx context.Context, l Lender) context.Context { return context.WithValue(ctx, key{}, l) }

// Most is how many processors work under ctx can have.
func Most(ctx context.Context) int {
	if l, ok := ctx.Value(key{}).(Lender); ok {
		return max(1, l.Most())
	}
	return runtime.GOMAXPROCS(0)
}

// Do computes on a processor, or not at all when ctx ends before there is one. What work
// calls with its own ctx has that processor already.
func Do(ctx context.Context, work func(ctx context.Context) error) error {
	l, ok := ctx.Value(key{}).(Lender)
	if !ok {
		return work(ctx)
	}
	giveBack, err := l.Lend(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	return work(With(ctx, nil))
}

// Share calls work on as many processors as there can be, up to so many, until each call
// says that nothing is left. It ends soon after ctx does.
func Share(ctx context.Context, most int, work func() (more bool)) error {
	run := func() {
		for more := true; more && ctx.Err() == nil; {
			if Do(ctx, func(context.Context) error { more = work(); return nil }) != nil {
				return // ctx has ended
			}
		}
	}
	var group sync.WaitGroup
	for range min(most, Most(ctx)) - 1 {
		group.Go(run)
	}
	run()
	group.Wait()
	return ctx.Err()
}

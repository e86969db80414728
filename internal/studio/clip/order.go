package clip

import (
	"context"
	"sync"

	"stele/internal/studio/cores"
)

// inOrder makes n things on every processor it may have and takes them one after the other, in
// their order. Only a few are made ahead, so that they never pile up. It ends at the
// first error, or soon after ctx does, when no worker works any more.
func inOrder[T any](ctx context.Context, n int, produce func(ctx context.Context, i int) (T, error), take func(i int, v T) error) error {
	type made struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	workers := min(cores.Most(ctx), n)
	ahead := make(chan struct{}, workers+1)
	results := make([]chan made, n)
	for i := range results {
		results[i] = make(chan made, 1)
	}
	jobs := make(chan int)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	group.Go(func() {
		defer close(jobs)
		for i := range n {
			select {
			case ahead <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		group.Go(func() {
			for i := range jobs {
				var m made
				m.err = cores.Do(ctx, func(ctx context.Context) (err error) {
					m.value, err = produce(ctx, i)
					return err
				})
				results[i] <- m
			}
		})
	}
	for i := range n {
		select {
		case m := <-results[i]:
			if m.err != nil {
				return m.err
			}
			if err := take(i, m.value); err != nil {
				return err
			}
			<-ahead
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

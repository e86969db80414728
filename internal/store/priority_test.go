package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatNobodyWaitsForMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newWritePriority(5)
		served := p.serve()
		turns := make(chan func(), 10)
		for range 10 {
			go func() {
				done, err := p.wait(t.Context(), "")
				if err != nil {
					t.Error(err)
				}
				turns <- done
			}()
		}
		inside := func(want int) {
			t.Helper()
			synctest.Wait()
			if len(turns) != want {
				t.Errorf("%d have got their turn, want %d", len(turns), want)
			}
		}
		inside(politely)
		heard, err := p.hear(t.Context(), "") // waits for none of them
		if err != nil {
			t.Fatal(err)
		}
		heard()
		(<-turns)()
		inside(politely) // another one came in
		p.serve()()      // still one is being served
		inside(politely)
		time.Sleep(mostPatience)
		inside(5) // they have waited long enough
		served()
		inside(5)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := p.wait(ctx, "")
			gone <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("who did not wait got %v", err)
		}
		for range 9 {
			(<-turns)()
		}
		synctest.Wait()
		if n := p.background.Taken() + p.words.Taken(); n != 0 || p.urgent != 0 {
			t.Errorf("%d are inside and %d urgent at the end", n, p.urgent)
		}
	})
}

package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestForWaitsOrGivesTheCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		if err := For(ctx, time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("For = %v after %v; want nil after a minute", err, time.Since(began))
		}
		gone := errors.New("the client has gone")
		time.AfterFunc(time.Second, func() { cancel(gone) })
		began = time.Now()
		if err := For(ctx, time.Hour); !errors.Is(err, gone) || time.Since(began) != time.Second {
			t.Errorf("For = %v after %v; want the cause after a second", err, time.Since(began))
		}
	})
}

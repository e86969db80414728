package background_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/media"
	"stele/internal/provider/background"
)

func outputs(n int) []media.Output { return make([]media.Output, n) }

func TestQuickWorkIsDoneWhenItIsAccepted(t *testing.T) {
	t.Parallel()
	m := background.New(func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
		return outputs(2), nil
	}, background.Options{Quick: time.Minute})
	defer m.Close()
	got, err := m.Submit(t.Context(), media.Request{Key: "a"})
	if err != nil || got.State != media.Success || len(got.Outputs) != 2 || got.Progress != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	again, err := m.Poll(t.Context(), got.Ticket)
	if err != nil || again.State != media.Success {
		t.Fatalf("%+v, %v", again, err)
	}
	m.Forget(got.Ticket)
	if _, err := m.Poll(t.Context(), got.Ticket); media.ToFailure(err).Class != media.Gone {
		t.Errorf("forgotten work: %v", err)
	}
}

func TestTheSameKeyIsTheSameWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		made := 0
		m := background.New(func(_ context.Context, _ media.Request, report func(float64)) ([]media.Output, error) {
			made++
			report(0.5)
			report(0.2) // never goes back
			time.Sleep(time.Second)
			return outputs(1), nil
		}, background.Options{})
		defer m.Close()
		first, _ := m.Submit(t.Context(), media.Request{Key: "a"})
		_, _ = m.Submit(t.Context(), media.Request{Key: "a"})
		synctest.Wait()
		if got, _ := m.Poll(t.Context(), first.Ticket); got.State != media.Processing || got.Progress != 0.5 {
			t.Errorf("in the middle: %+v", got)
		}
		time.Sleep(2 * time.Second)
		if got, _ := m.Poll(t.Context(), first.Ticket); got.State != media.Success || made != 1 {
			t.Errorf("at the end: %+v, made %d times", got, made)
		}
	})
}

func TestWorkWaitsForItsTurnAndCanBeStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := background.New(func(ctx context.Context, _ media.Request, _ func(float64)) ([]media.Output, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, background.Options{Parallel: 1})
		defer m.Close()
		first, _ := m.Submit(t.Context(), media.Request{Key: "a"})
		second, _ := m.Submit(t.Context(), media.Request{Key: "b"})
		if first.State != media.Processing || second.State != media.Pending {
			t.Errorf("first %s, second %s", first.State, second.State)
		}
		_ = m.Cancel(t.Context(), first.Ticket)
		synctest.Wait()
		first, _ = m.Poll(t.Context(), first.Ticket)
		second, _ = m.Poll(t.Context(), second.Ticket)
		if first.State != media.Failed || first.Failure.Class != media.Stopped || second.State != media.Processing {
			t.Errorf("first %+v, second %+v", first, second)
		}
	})
}

func TestOnlyWhatHasNotBegunIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		made := 0
		m := background.New(func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			made++
			time.Sleep(time.Second)
			return outputs(1), nil
		}, background.Options{Parallel: 1})
		defer m.Close()
		first, _ := m.Submit(t.Context(), media.Request{Key: "a"})
		second, _ := m.Submit(t.Context(), media.Request{Key: "b"})
		if m.Withdraw(first.Ticket) || !m.Withdraw(second.Ticket) {
			t.Error("the wrong one was withdrawn")
		}
		time.Sleep(3 * time.Second)
		first, _ = m.Poll(t.Context(), first.Ticket)
		second, _ = m.Poll(t.Context(), second.Ticket)
		if first.State != media.Success || second.State != media.Failed || second.Failure.Class != media.Stopped || made != 1 {
			t.Errorf("first %+v, second %+v, %d made", first, second, made)
		}
	})
}

// TestWhatHasAPlaceBeginsAtOnce takes the only place twice: who has it begins as soon as
// it is submitted, and keeps it until the end; who does not is told to come back.
func TestWhatHasAPlaceBeginsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := background.New(func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			time.Sleep(time.Minute)
			return outputs(1), nil
		}, background.Options{Parallel: 1})
		defer m.Close()
		leave, _ := m.TakeSlot(t.Context(), "", "a")
		if taken, again := m.TakeSlot(t.Context(), "", "b"); taken != nil || again == 0 {
			t.Error("a place is taken twice")
		}
		if waits, _ := m.Submit(t.Context(), media.Request{Key: "c"}); waits.State != media.Pending {
			t.Errorf("what has no place is %s", waits.State)
		}
		if begun, _ := m.Submit(t.Context(), media.Request{Key: "a"}); begun.State != media.Processing {
			t.Errorf("what has a place is %s", begun.State)
		}
		leave() // it has begun, and keeps it
		if taken, _ := m.TakeSlot(t.Context(), "", "b"); taken != nil {
			t.Error("the place of what goes on is taken")
		}
		time.Sleep(3 * time.Minute) // both have ended
		leave, _ = m.TakeSlot(t.Context(), "", "b")
		leave()
		leave() // once is enough
		if begun, _ := m.Submit(t.Context(), media.Request{Key: "d"}); begun.State != media.Processing {
			t.Errorf("beside a place that was given back it is %s", begun.State)
		}
	})
}

// Of two tries at the same work the earlier has no place any more, and none is lost.
func TestAPlaceThatIsTakenTwiceIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := background.New(nil, background.Options{Parallel: 2})
		defer m.Close()
		free := func(want bool) {
			t.Helper()
			leave, _ := m.TakeSlot(t.Context(), "", "c")
			if (leave != nil) != want {
				t.Errorf("there is a place: %t", leave != nil)
			}
			if leave != nil {
				leave()
			}
		}
		first, _ := m.TakeSlot(t.Context(), "", "a")
		second, _ := m.TakeSlot(t.Context(), "", "a")
		free(true)
		other, _ := m.TakeSlot(t.Context(), "", "b")
		free(false)
		first() // it has none
		free(false)
		second()
		free(true)
		other()
	})
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		craft background.Craft
		class media.Class
	}{
		"a failure": {func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			return nil, &media.Failure{Class: media.BadInput}
		}, media.BadInput},
		"an error": {func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			return nil, errors.New("no")
		}, media.Transient},
		"nothing": {func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			return nil, nil
		}, media.ModelFailed},
		"a panic": {func(context.Context, media.Request, func(float64)) ([]media.Output, error) {
			panic("oh")
		}, media.Panicked},
	} {
		m := background.New(c.craft, background.Options{Quick: time.Minute})
		defer m.Close()
		if got, _ := m.Submit(t.Context(), media.Request{Key: "a"}); got.State != media.Failed || got.Failure.Class != c.class {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

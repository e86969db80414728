package oidc

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// A provider that says nothing holds up only those who want it, each as long
// as they like, and is asked once for all of them.
func TestDiscoveryHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, answer := 0, make(chan struct{})
		d := &discovery{now: time.Now, ask: func(context.Context) (*oidc.Provider, error) {
			asked++
			<-answer
			return new(oidc.Provider), nil
		}}
		patient := make(chan error, 1)
		go func() { _, err := d.provider(t.Context()); patient <- err }()
		synctest.Wait()
		begun := time.Now()
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := d.provider(ctx)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("somebody in a hurry: %v", err)
			}
		}
		if waited := time.Since(begun); waited != 10*time.Second { // one second each, and not fifteen
			t.Errorf("they waited %s", waited)
		}
		if !d.mu.TryLock() {
			t.Error("it is locked while the provider thinks")
		} else {
			d.mu.Unlock()
		}
		close(answer)
		if err := <-patient; err != nil || asked != 1 {
			t.Errorf("asked %d times, %v", asked, err)
		}
		if _, err := d.provider(t.Context()); err != nil || asked != 1 {
			t.Errorf("asked %d times, %v", asked, err)
		}
	})
}

func TestAProviderThatIsDownIsAskedSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		d := &discovery{now: time.Now, ask: func(context.Context) (*oidc.Provider, error) {
			asked++
			if asked < 3 {
				return nil, errors.New("down")
			}
			return new(oidc.Provider), nil
		}}
		for range 100 {
			_, _ = d.provider(t.Context())
		}
		if asked != 1 {
			t.Errorf("asked %d times at once", asked)
		}
		time.Sleep(askAgainAfter)
		_, _ = d.provider(t.Context())
		time.Sleep(askAgainAfter)
		if _, err := d.provider(t.Context()); err != nil || asked != 3 {
			t.Errorf("asked %d times, %v", asked, err)
		}
	})
}

// The first one to come may leave before the answer: it is there for the next.
func TestDiscoveryOutlivesWhoAskedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &discovery{now: time.Now, ask: func(ctx context.Context) (*oidc.Provider, error) {
			select {
			case <-time.After(time.Minute):
				return new(oidc.Provider), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := d.provider(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first one: %v", err)
		}
		if _, err := d.provider(t.Context()); err != nil {
			t.Errorf("the next one: %v", err)
		}
	})
}

// silent never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The library asks for keys without a deadline of its own.
func TestASilentProviderIsWaitedForOnlySoLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		res, err := limitAnswers(&http.Client{Transport: silent{}}).Get("https://id.example.com/keys") //nolint:noctx // that is the question
		if err == nil {
			_ = res.Body.Close()
		}
		if waited := time.Since(begun); err == nil || waited != callTime {
			t.Errorf("%v after %s", err, waited)
		}
	})
}

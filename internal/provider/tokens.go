package provider

import (
	"context"
	"sync"
	"time"
)

const (
	tokenMargin = time.Minute      // before its end a token is no longer used
	tokenEarly  = 5 * time.Minute  // before its end the next one is fetched
	tokenAgain  = 10 * time.Second // after a failure, while the old one is still good
	tokenWait   = 20 * time.Second // for the server that gives tokens out
)

// tokens keeps a token until shortly before its end. However many ask, one
// fetches. It is safe for concurrent use.
type tokens struct {
	fetch func(context.Context) (token string, life time.Duration, err error)
	now   func() time.Time

	mu    sync.Mutex // guards all below
	token string
	ends  time.Time // when it is no longer used
	renew time.Time // when the next one is fetched
	under *fetching // what is under way; nil: nothing
}

type fetching struct {
	done  chan struct{}
	token string // valid when done is closed, as err is
	err   error
}

// get is a token that is good for a while. It waits only if there is none.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	now := t.now()
	token, good := t.token, t.token != "" && now.Before(t.ends)
	if good && now.Before(t.renew) {
		t.mu.Unlock()
		return token, nil
	}
	f := t.under
	if f == nil {
		f = &fetching{done: make(chan struct{})}
		t.under = f
		go t.run(context.WithoutCancel(ctx), f) // ends by its own time-out
	}
	t.mu.Unlock()
	if good {
		return token, nil
	}
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// run fetches for all callers that wait: none of them may end it by leaving.
func (t *tokens) run(ctx context.Context, f *fetching) {
	ctx, cancel := context.WithTimeout(ctx, tokenWait)
	defer cancel()
	var life time.Duration
	f.token, life, f.err = t.fetch(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if f.err != nil {
		t.renew = now.Add(tokenAgain)
	} else {
		t.token, t.ends = f.token, now.Add(life-min(tokenMargin, life/2))
		t.renew = now.Add(life - min(tokenEarly, life/2))
	}
	t.under = nil
	close(f.done)
}

// forget drops the token.
func (t *tokens) forget() {
	t.mu.Lock()
	t.token = ""
	t.mu.Unlock()
}

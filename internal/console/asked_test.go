package console_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/console/usage"
	"stele/internal/meter"
)

// crowded is a source that notes how many ask it at once. Each waits a while for all to come.
type crowded struct {
	usage.Source
	all int

	mu       sync.Mutex // guards what follows
	now, top int
	here     chan struct{} // closed when all are
}

func (c *crowded) UsageDays(ctx context.Context, of meter.Slice, by meter.Split, groups []string) ([]meter.Day, error) {
	c.mu.Lock()
	if c.now++; c.now > c.top {
		if c.top = c.now; c.top == c.all {
			close(c.here)
		}
	}
	c.mu.Unlock()
	select {
	case <-c.here:
	case <-time.After(200 * time.Millisecond):
	}
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	return c.Source.UsageDays(ctx, of, by, groups)
}

// However many pages a person opens at once, the database is asked for few of them at a time.
func TestPagesOfOnePersonAskInTurns(t *testing.T) {
	t.Parallel()
	const pages = 20
	c := &crowded{all: pages, here: make(chan struct{})}
	h := consoletest.Opened(t, consoletest.Observed, func(h *consoletest.House, o *console.Options) {
		c.Source = o.Usage
		o.Usage = c
	})
	var all sync.WaitGroup
	for range pages {
		all.Go(func() {
			if res := h.Get("/console/usage", consoletest.Browser); res.StatusCode != http.StatusOK {
				t.Errorf("a page: %d", res.StatusCode)
			}
		})
	}
	all.Wait()
	if c.top > 6 {
		t.Errorf("%d pages of one person asked the database at once", c.top)
	}
}

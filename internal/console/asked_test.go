package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
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
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage, func(h *consoletest.House, o *console.Options) {
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

// stuck is a source that does not answer until the test lets it.
type stuck struct {
	usage.Source
	asked, free chan struct{}
}

func (s *stuck) UsageDays(ctx context.Context, of meter.Slice, by meter.Split, groups []string) ([]meter.Day, error) {
	s.asked <- struct{}{}
	<-s.free
	return s.Source.UsageDays(ctx, of, by, groups)
}

// While all turns of a person are taken, forms wait as pages do, and what stays open for news takes none.
func TestFormsWaitForTheirTurnAndNewsDoNot(t *testing.T) {
	t.Parallel()
	s := &stuck{asked: make(chan struct{}), free: make(chan struct{})}
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage, consoletest.WithStudio(&a), func(_ *consoletest.House, o *console.Options) {
		s.Source = o.Usage
		o.Usage = s
	})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { h.Get("/console/usage", consoletest.Browser) })
	}
	for range 6 {
		<-s.asked
	}
	made := a.Order(access.Principal{Workspace: "default"}, `{"model":"stele/canvas","prompt":"One","size":256}`)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/events?id="+made.ID)), "event: done")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	form := strings.NewReader(url.Values{"name": {"x"}, "environment": {"development"}}.Encode())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/console/keys", form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if res := h.Send(r); ctx.Err() == nil {
		t.Errorf("a form did not wait for six pages: %d", res.StatusCode)
	}
	close(s.free)
	all.Wait()
}

// What takes no turn is named here: each of them has a bound of its own.
func TestFewRoutesTakeNoTurn(t *testing.T) {
	t.Parallel()
	want := append([]string{"/console/studio/events", "/console/playground/run"}, uploads...)
	for _, route := range console.Routes() {
		if route.Follows() != (slices.Contains(want, route.Pattern) && (route.Method == http.MethodPost || route.Pattern == "/console/studio/events")) {
			t.Errorf("%s %s takes no turn: %t", route.Method, route.Pattern, route.Follows())
		}
	}
}

package background_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"stele/internal/media"
	"stele/internal/provider/background"
)

// TestQueuedWorkOfOneTenantDoesNotStopAnothers orders two hundred pictures of one
// workspace, none of which ends, and then one of another.
func TestQueuedWorkOfOneTenantDoesNotStopAnothers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // guards begun
		begun := make(map[string]int)
		m := background.New(func(ctx context.Context, req media.Request, _ func(float64)) ([]media.Output, error) {
			mu.Lock()
			begun[req.Workspace]++
			mu.Unlock()
			<-ctx.Done()
			return nil, ctx.Err()
		}, background.Options{Parallel: 2})
		defer m.Close()
		order := func(workspace string, n int) media.Status {
			status, err := m.Submit(t.Context(), media.Request{Key: fmt.Sprint(workspace, n), Workspace: workspace})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return status
		}
		var all []media.Status
		for i := range 200 {
			all = append(all, order("many", i))
		}
		if first := order("other", 0); first.State != media.Processing || begun["many"] != 2 {
			t.Errorf("the other workspace's work is %s, beside %d pieces", first.State, begun["many"])
		}
		order("third", 0)
		order("fourth", 0)
		if begun["third"] != 1 || begun["fourth"] != 0 {
			t.Errorf("begun %v", begun)
		}
		for _, one := range all[:2] { // one place for the one that has waited for longest, and then it is the fourth's turn
			_ = m.Cancel(t.Context(), one.Ticket)
			synctest.Wait()
		}
		if begun["fourth"] != 1 || begun["many"] != 3 {
			t.Errorf("after two have ended: %v", begun)
		}
	})
}

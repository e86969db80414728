package engines

import (
	"net/http"
	"testing"
	"time"

	"stele/test/rig"
)

// TestThePrimaryDiesUnderLoad kills a primary under orders and chats, leaves the servers
// without a database for a while, and promotes the standby.
func TestThePrimaryDiesUnderLoad(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f := newFleet(t, 300*time.Millisecond, c.URL(), c.URL())
	clients := f.begin(8, 2)
	rig.Eventually(t, "the provider works", func() bool { return f.maker.started() >= 20 })
	c.primary.kill()
	t.Log("the primary is dead")
	away := time.Now()
	for time.Since(away) < databaseAway {
		if err := f.chat(0); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Millisecond)
	}
	c.promote(t)
	promoted := time.Now()
	f.servesEverything(0)
	f.servesEverything(1)
	t.Logf("everything is served again %s after the promotion", time.Since(promoted).Round(time.Millisecond))
	f.judge(clients.end())
}

// servesEverything returns when a server does all that needs the database.
func (f *fleet) servesEverything(server int) {
	f.t.Helper()
	h := f.servers[server]
	rig.Eventually(f.t, "the server is ready", func() bool {
		a, err := h.Send(h.Request(f.t, http.MethodGet, "/readyz"))
		return err == nil && a.Status == http.StatusOK
	})
	n := 1_000_000 + server
	rig.Eventually(f.t, "an order is taken", func() bool { return f.order(server, n) == nil })
	if state, why := f.outcome(server, f.ids[n]); state != "success" {
		f.t.Errorf("an order after the failure ended as %s: %s", state, why)
	}
	key := h.CreateKey(f.t).Key
	for _, other := range f.servers {
		other.Keep(key)
		other.Await(f.t, key, http.StatusOK)
	}
}

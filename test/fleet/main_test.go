// Package fleet runs several servers on one PostgreSQL and looks whether what one learns
// counts on the others.
package fleet

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// targets is how many targets a test has that needs fresh ones.
const targets = 20

// target is the upstream's name of a model that clients call "m" and a number.
func target(n int) string { return fmt.Sprintf("gpt-4.1-%d", n) }

// newServers starts servers on one database, before the same upstreams.
func newServers(t *testing.T, n int) []*rig.Front {
	t.Helper()
	var models strings.Builder
	for i := range targets {
		fmt.Fprintf(&models, "  m%d: {targets: [openai/%s], retries: 0}\n", i, target(i))
	}
	first, config := rig.PrepareFront(t, "", models.String())
	flags := []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t)}
	first.Open(t, config, flags...)
	list := []*rig.Front{first}
	for range n - 1 {
		next := &rig.Front{House: rig.Start(t, rig.Options{Config: config, Flags: flags}), Key: first.Key, KeyID: first.KeyID, Up: first.Up}
		next.Keep(upstream.Key)
		next.Keep(first.Key)
		next.Await(t, next.Key, http.StatusOK)
		list = append(list, next)
	}
	return list
}

package operate

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/test/rig"
)

// TestTheMasterKeyIsRotatedWhileServersRun changes the key under two servers that
// are asked all the time. None is started again; none refuses anything.
func TestTheMasterKeyIsRotatedWhileServersRun(t *testing.T) {
	t.Parallel()
	master := rig.NewMasterKey(t)
	flags := []string{"--database-url", rig.NewDatabase(t), "--master-key-file", master}
	one := rig.Start(t, rig.Options{Flags: flags})
	two := rig.Start(t, rig.Options{Flags: flags})
	rotateUnder(t, master, one, two)
}

// TestTheMasterKeyOfAFolderIsRotatedWhileItsServerRuns is the same on SQLite.
func TestTheMasterKeyOfAFolderIsRotatedWhileItsServerRuns(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	rotateUnder(t, filepath.Join(h.Data, "master.key"), h)
}

func rotateUnder(t *testing.T, master string, servers ...*rig.House) {
	t.Helper()
	first := servers[0]
	key := first.CreateKey(t).Key
	for _, h := range servers {
		h.Keep(key)
		h.Await(t, key, http.StatusOK)
	}
	secret := first.Try(t, "webhooks", "secret").Stdout
	before, err := os.ReadFile(master)
	if err != nil {
		t.Fatal(err)
	}

	var stop atomic.Bool
	asked := make(chan int, len(servers))
	for _, h := range servers {
		go func() {
			n := 0
			for ; !stop.Load(); n++ {
				if a := h.Get(t, "/api/v1/models", key); a.Status != http.StatusOK {
					t.Errorf("request %d: %d %s", n, a.Status, a.Body)
					break
				}
			}
			asked <- n
		}()
	}
	for range 2 {
		if r := first.Try(t, "master-key", "rotate"); r.Code != 0 || !strings.Contains(r.Stdout, "The old key opens nothing any more") {
			t.Errorf("rotate: %d %s %s", r.Code, r.Stdout, r.Stderr)
		}
	}
	stop.Store(true)
	for range servers {
		if n := <-asked; n == 0 {
			t.Error("nothing was asked meanwhile")
		}
	}

	after, err := os.ReadFile(master)
	if err != nil || string(after) == string(before) {
		t.Fatalf("the key file is the old one: %v", err)
	}
	if r := first.Try(t, "webhooks", "secret"); r.Stdout != secret {
		t.Errorf("the webhook secret is another one: %s", r.Stderr)
	}
	for _, args := range [][]string{{"master-key", "verify"}, {"audit", "verify"}} {
		if r := first.Try(t, args...); r.Code != 0 {
			t.Errorf("%v: %s %s", args, r.Stdout, r.Stderr)
		}
	}
	for _, h := range servers { // with the new key, and with the old one not at all
		h.Stop(t)
		h.Start(t)
		if a := h.Get(t, "/api/v1/models", key); a.Status != http.StatusOK {
			t.Errorf("after a restart: %d %s", a.Status, a.Body)
		}
	}
	if err := os.WriteFile(master, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := first.Try(t, "keys", "list"); r.Code != 1 || !strings.Contains(r.Stderr, "made with another master key") {
		t.Errorf("with the old key: %d %s", r.Code, r.Stderr)
	}
}

package operate

import (
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"stele/test/rig"
)

// TestTheServiceManagerIsTold is what a unit of type notify stands on: it hears when the
// server serves and when it stops, and nothing else.
func TestTheServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	heard := func() string {
		_ = manager.SetReadDeadline(time.Now().Add(time.Minute))
		word := make([]byte, 100)
		n, err := manager.Read(word)
		if err != nil {
			t.Fatal(err)
		}
		return string(word[:n])
	}
	h := rig.Start(t, rig.Options{Env: []string{"NOTIFY_SOCKET=" + socket}})
	if word := heard(); word != "READY=1" {
		t.Errorf("a server that serves told %q", word)
	}
	if a := h.Get(t, "/healthz", ""); a.Status != http.StatusOK {
		t.Errorf("told to be ready, it answers %d", a.Status)
	}
	h.Stop(t)
	if word := heard(); word != "STOPPING=1" {
		t.Errorf("a server that was ended told %q", word)
	}
}

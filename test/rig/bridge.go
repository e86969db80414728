package rig

import (
	"syscall"
	"testing"
	"time"
)

// Bridge starts a bridge to the server with a key and returns where it serves. It ends
// with the test, as a developer would end it.
func (h *House) Bridge(t testing.TB, key string, args ...string) string {
	t.Helper()
	cmd := h.command(append([]string{"bridge", "--address", "127.0.0.1:0", "--url", h.URL}, args...)...)
	cmd.Env = append(cmd.Env, "STELE_API_KEY="+key)
	p, err := start(cmd)
	if err != nil {
		t.Fatalf("start the bridge: %v", err)
	}
	found := p.stdout.await(serves, p.ended, Patience)
	if found == nil {
		p.kill()
		t.Fatalf("the bridge did not say where it serves\nstdout: %s\nstderr: %s", p.stdout, p.stderr)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		select {
		case <-p.ended:
		case <-time.After(exitPatience):
			p.kill()
			t.Errorf("the bridge did not end within %s", exitPatience)
		}
		if p.err != nil {
			t.Errorf("the bridge ended with %v\n%s", p.err, p.stderr)
		}
		for _, wrong := range h.secrets.told(p.stdout.String(), p.stderr.String()) {
			t.Errorf("the bridge: %s", wrong)
		}
	})
	return found[1]
}

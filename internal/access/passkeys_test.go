package access_test

import (
	"net/url"
	"testing"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/access/passkey/passkeytest"
	"stele/internal/fault"
	"stele/internal/seal"
)

// An answer that was overheard is worth nothing on another server either, nor after a restart.
func TestAPasskeysAnswerIsTakenOnceByAllServers(t *testing.T) {
	t.Parallel()
	master := seal.New()
	h := openHouse(t, t.TempDir(), master)
	other := access.New(h.store, master, h.clock)
	v := h.join(t, "ada@example.com", "acme", access.Owner)
	at, _ := passkey.PartyAt(&url.URL{Scheme: "https", Host: "stele.example.com"})
	device := passkeytest.NewDevice(t)
	device.Synced = true // who counts signatures notices a second one by that
	made, err := h.AskNewPasskey(t.Context(), v, at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.AddPasskey(t.Context(), v, at, made.Ticket, "Laptop", device.Make(made.Options)); err != nil {
		t.Fatal(err)
	}
	ask := func(s *access.Service) (access.Question, []byte) {
		t.Helper()
		q, err := s.AskPasskey(t.Context(), at, "")
		if err != nil {
			t.Fatal(err)
		}
		return q, device.Sign(q.Options)
	}
	signIn := func(s *access.Service, q access.Question, answer []byte) fault.Code {
		_, _, err := s.SignInByPasskey(t.Context(), at, q.Ticket, answer, access.Browser{})
		return code(err)
	}
	first, answer := ask(h.Service)
	second, later := ask(other)
	if c := signIn(other, first, answer); c != "" {
		t.Errorf("a question of another server: %s", c)
	}
	for name, s := range map[string]*access.Service{"the one that asked": h.Service, "the one that took it": other} {
		if c := signIn(s, first, answer); c != fault.PermissionDenied {
			t.Errorf("a second time by %s: %q", name, c)
		}
	}
	if c := signIn(h.Service, second, later); c != "" {
		t.Errorf("another question: %s", c)
	}
}

package access_test

import (
	"log/slog"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

const password = "correct horse battery"

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// eventually waits for an event that takes a second at most on a machine at rest.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not seen: %s", what)
		}
	}
}

func TestFirstStartWelcomesOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	w, err := h.FirstStart(t.Context())
	if err != nil || w == nil || w.SetupToken == "" || !h.opens(w.Key) {
		t.Fatalf("welcome %+v, %v", w, err)
	}
	if again, err := h.FirstStart(t.Context()); again != nil || err != nil {
		t.Errorf("second start: %+v, %v", again, err)
	}
}

func TestSetUpLinkWorksOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	w, err := h.FirstStart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.SetUp(t.Context(), "guess", "a@example.com", password, access.Browser{}); code(err) != fault.NotFound {
		t.Errorf("a guessed link: %v", err)
	}
	if _, _, err := h.SetUp(t.Context(), w.SetupToken, "a@example.com", "short", access.Browser{}); code(err) != fault.InvalidParameter {
		t.Errorf("a short password: %v", err)
	}
	v, cookie, err := h.SetUp(t.Context(), w.SetupToken, " Admin@Example.com ", password, access.Browser{Remote: "192.0.2.1"})
	if err != nil || v.User.Email != "admin@example.com" || !v.User.Admin {
		t.Fatalf("set up: %+v, %v", v.User, err)
	}
	if got, err := h.BySession(t.Context(), cookie); err != nil || got.User.ID != v.User.ID {
		t.Errorf("the new session: %v", err)
	}
	if _, _, err := h.SetUp(t.Context(), w.SetupToken, "b@example.com", password, access.Browser{}); code(err) != fault.NotFound {
		t.Errorf("the link again: %v", err)
	}
	if open, err := h.SetupOpen(t.Context(), w.SetupToken); open || err != nil {
		t.Errorf("the link is open: %v, %v", open, err)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.add(t, "a@example.com", access.Administrator)
	signIn := func() string {
		_, cookie, err := h.SignIn(t.Context(), "A@example.com", password, access.Browser{Remote: "192.0.2.1"})
		if err != nil {
			t.Fatal(err)
		}
		return cookie
	}
	valid := func(cookie string) bool { _, err := h.BySession(t.Context(), cookie); return err == nil }

	out := signIn()
	v, err := h.BySession(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SignOut(t.Context(), v); err != nil || valid(out) {
		t.Errorf("after signing out: %v", err)
	}
	idle := signIn()
	h.pass(23 * time.Hour)
	if !valid(idle) {
		t.Error("ended although it was used within a day")
	}
	h.pass(25 * time.Hour)
	if valid(idle) {
		t.Error("an idle session is valid")
	}
	old := signIn()
	for range 15 {
		h.pass(23 * time.Hour)
		valid(old)
	}
	if valid(old) {
		t.Error("a session older than two weeks is valid")
	}
	if valid("") || valid("00000000000000000000000000000000000000000000000000") {
		t.Error("a made-up session is valid")
	}
}

func TestGuessingHasToWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.add(t, "a@example.com", access.Administrator)
	try := func(email, password, remote string) fault.Code {
		_, _, err := h.SignIn(t.Context(), email, password, access.Browser{Remote: remote})
		return code(err)
	}
	for range 5 {
		if got := try("a@example.com", "wrong", "192.0.2.1"); got != fault.PermissionDenied {
			t.Fatalf("a wrong password: %s", got)
		}
	}
	if got := try("a@example.com", password, "192.0.2.1"); got != fault.RateLimited {
		t.Errorf("the right password after five wrong ones: %s", got)
	}
	if got := try("a@example.com", password, "192.0.2.9"); got != "" {
		t.Errorf("the same account from elsewhere is locked: %s", got)
	}
	if got := try("b@example.com", password, "192.0.2.1"); got != fault.RateLimited {
		t.Errorf("another account from the same place: %s", got)
	}
	if got := try("unknown@example.com", "wrong", "192.0.2.2"); got != fault.PermissionDenied {
		t.Errorf("an unknown account: %s, want the same as a wrong password", got)
	}
	h.pass(time.Minute)
	if got := try("a@example.com", password, "192.0.2.1"); got != "" {
		t.Errorf("after waiting: %s", got)
	}
}

func TestConfiguredAdministratorIsMadeOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, want := range []bool{true, false} {
		made, err := h.EnsureAdmin(t.Context(), "a@example.com", password)
		if err != nil || made != want {
			t.Errorf("start %d: made %v, %v", i, made, err)
		}
	}
	who := access.Principal{User: "usr_1"}
	if _, _, err := h.AddPerson(t.Context(), who, access.NewPerson{Email: "b@example.com", Role: access.Administrator}); code(err) != fault.PermissionDenied {
		t.Errorf("somebody made themselves a colleague: %v", err)
	}
}

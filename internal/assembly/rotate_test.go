package assembly

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/race"
	"stele/internal/relay"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/supply"
)

func (s *sealedInstallation) rotate(t *testing.T, step func(string) error) error {
	t.Helper()
	h, err := Open(t.Context(), s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	r := Rotation{Installation: h, KeepLinks: time.Hour, Out: io.Discard, step: step}
	return r.Run(t.Context())
}

func onEveryInstallation(t *testing.T, test func(t *testing.T, s *sealedInstallation)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		for name, older := range map[string]bool{"new": false, "of an older version": true} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, newSealedInstallation(t, engine, older))
			})
		}
	}
}

func TestAfterARotationTheOldKeyOpensNothing(t *testing.T) {
	t.Parallel()
	onEveryInstallation(t, func(t *testing.T, s *sealedInstallation) {
		old := s.master(t)
		for range 2 { // and once more
			if err := s.rotate(t, nil); err != nil {
				t.Fatal(err)
			}
			s.check(t)
			s.opensNothing(t, old)
		}
	})
}

var errKilled = errors.New("killed")

// At whichever step it is killed, everything works before it goes on, and after.
func TestARotationThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it is one process after the other")
	onEveryInstallation(t, func(t *testing.T, s *sealedInstallation) {
		var steps []string
		for n := 0; ; n++ {
			old := s.master(t)
			count, killed := 0, ""
			err := s.rotate(t, func(step string) error {
				if count++; count > n {
					killed = step
					return errKilled
				}
				return nil
			})
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			steps = append(steps, killed)
			s.check(t)
			if killed == "old key ended" { // it was done
				s.opensNothing(t, old)
				continue
			}
			if err := s.rotate(t, nil); err != nil {
				t.Fatalf("after %q: %v", killed, err)
			}
			s.check(t)
			s.opensNothing(t, old)
			if t.Failed() {
				t.Fatalf("killed after %q", killed)
			}
		}
		for _, step := range []string{"new key", "both keys", "one sealed anew", "all sealed anew", "new key in its place", "old key ended"} {
			if !slices.Contains(steps, step) {
				t.Errorf("never killed after %q: %v", step, steps)
			}
		}
	})
}

// A process that runs meanwhile opens whatever the other one has sealed, and what it seals is not lost.
func TestARunningProcessGoesOnThroughARotation(t *testing.T) {
	t.Parallel()
	onEveryInstallation(t, func(t *testing.T, s *sealedInstallation) {
		s.with(t, func(running *Installation) {
			old := s.master(t)
			late := running.Keyring.Box(supply.SecretsBox).SealFor("x", []byte("late")) // sealed, but not saved yet
			steps := 0
			err := s.rotate(t, func(string) error {
				steps++
				s.checkIn(t, running)
				return nil
			})
			if err != nil || steps < 7 {
				t.Fatalf("%d steps, %v", steps, err)
			}
			s.checkIn(t, running)
			if err := running.Keyring.Follow(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.checkIn(t, running)
			if state := running.Keyring.State(); state.Using != s.master(t).Fingerprint() || state.To != "" || len(state.Opens) != 1 {
				t.Errorf("the running process is at %+v", state)
			}
			if plain, err := running.Keyring.Box(supply.SecretsBox).OpenFor("x", late); err != nil || string(plain) != "late" {
				t.Errorf("what was sealed with the old key just before: %v", err)
			}
			s.opensNothing(t, old)
		})
	})
}

// A server on another machine keeps the old key from ending until it has the new one.
func TestARotationWaitsForOtherServers(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	elsewhere := *s.cfg
	elsewhere.MasterKeyFile = filepath.Join(t.TempDir(), "master.key")
	copyFile(t, filepath.Join(s.cfg.Data, "master.key"), elsewhere.MasterKeyFile)
	far, err := Open(t.Context(), &elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	follow := func(want string) {
		t.Helper()
		if err := far.Store.Beat(t.Context(), "node_far", time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := far.Keyring.NoteHolder(t.Context(), "node_far"); err != nil {
			t.Fatal(err)
		}
		if holders, err := far.Store.MasterHolders(t.Context(), time.Time{}); err != nil || holders["node_far"] != want {
			t.Fatalf("holders are %v, %v", holders, err)
		}
	}
	old := s.master(t)
	follow(old.Fingerprint())
	if err := s.rotate(t, nil); !errors.Is(err, errLagging) || !strings.Contains(err.Error(), "node_far") {
		t.Fatalf("with a server that lacks the key: %v", err)
	}
	s.check(t)
	if s.master(t).Fingerprint() != old.Fingerprint() {
		t.Fatal("the key was replaced")
	}
	copyFile(t, filepath.Join(s.cfg.Data, "master.key.next"), elsewhere.MasterKeyFile+".next")
	next, err := seal.Load(elsewhere.MasterKeyFile + ".next")
	if err != nil {
		t.Fatal(err)
	}
	follow(next.Fingerprint())
	if err := s.rotate(t, nil); err != nil {
		t.Fatal(err)
	}
	s.checkIn(t, far)
	s.opensNothing(t, old)
	again, err := Open(t.Context(), &elsewhere) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	s.checkIn(t, again)
	if m, err := seal.Load(elsewhere.MasterKeyFile); err != nil || m.Fingerprint() != next.Fingerprint() {
		t.Errorf("its own file is not the new key: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A loop goes on with its thoughts, however often the key changes before its next turn.
func TestTurnsOutliveRotations(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSealedInstallation(t, engine, false)
			const turns = 45 // more than are sealed anew at once
			keys := make([]string, turns)
			s.with(t, func(h *Installation) {
				box := h.Keyring.Box(relay.VaultBox)
				for i := range keys {
					keys[i] = fmt.Sprint("turn-", i)
					row := relay.Row{Workspace: "default", Key: keys[i], Turn: keys[i], At: time.Now(), Sealed: box.SealFor("for "+keys[i], []byte(keys[i]))}
					other := relay.Row{Workspace: "default", Key: keys[i] + "-call", Turn: keys[i], At: time.Now()}
					if err := h.Store.KeepTurns(t.Context(), []relay.Row{row, other}); err != nil {
						t.Fatal(err)
					}
				}
			})
			for range 3 {
				if err := s.rotate(t, nil); err != nil {
					t.Fatal(err)
				}
			}
			s.with(t, func(h *Installation) {
				rows, err := h.Store.KeptTurns(t.Context(), "default", keys, time.Now().Add(-time.Hour), 1<<20)
				if err != nil || len(rows) != turns {
					t.Fatalf("%d turns, %v", len(rows), err)
				}
				box := h.Keyring.Box(relay.VaultBox)
				for _, r := range rows {
					if said, err := box.OpenFor("for "+r.Key, r.Sealed); err != nil || string(said) != r.Key || box.Stale(r.Sealed) {
						t.Errorf("%s says %q, %v", r.Key, said, err)
					}
				}
			})
		})
	}
}

// Whatever is sealed and kept stands in the list of what is sealed anew.
func TestEverySealedValueIsListed(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	listed := map[string]bool{"settings.value": true}
	for _, c := range store.SealedColumns() {
		listed[c.Table+"."+c.Column] = true
	}
	s.with(t, func(h *Installation) {
		for name, values := range everyValue(t, h.Store.Writer(), h.Store.Engine()) {
			for _, raw := range values {
				decoded, _ := base64.StdEncoding.DecodeString(string(raw))
				if (seal.IsMarked(raw) || seal.IsMarked(decoded)) && !listed[name] {
					t.Errorf("%s has sealed values and is not in store.SealedColumns: they would not be sealed anew", name)
				}
			}
		}
	})
}

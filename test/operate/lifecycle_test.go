package operate

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

var (
	curlLine  = regexp.MustCompile(`(?m)^ *(curl .*)$`)
	curlParts = regexp.MustCompile(`curl (\S+) -H "Authorization: Bearer (\S+)"`)
	keyText   = regexp.MustCompile(`sk_(dev|live)_\w+`)
)

// TestFirstStartShowsTheWayIn follows what the first start prints, and finds none
// of it in what the second prints.
func TestFirstStartShowsTheWayIn(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	greeting := h.Greeting()

	link := rig.SetupLink.FindString(greeting)
	if a := h.Get(t, strings.TrimPrefix(link, h.URL), ""); link == "" || a.Status != http.StatusOK || !strings.Contains(a.Body, "password") {
		t.Errorf("the set-up link %q: %d", link, a.Status)
	}
	line := curlLine.FindStringSubmatch(greeting)
	if line == nil {
		t.Fatalf("no curl line in %s", greeting)
	}
	var list struct {
		Object string `json:"object"`
	}
	if out := paste(t, h, line[1]); json.Unmarshal([]byte(out), &list) != nil || list.Object != "list" {
		t.Errorf("%s\nanswered %s", line[1], out)
	}
	key := keyText.FindString(greeting)
	if !strings.HasPrefix(key, "sk_dev_") {
		t.Errorf("the first key is %q, not one for development", key)
	}

	h.Stop(t)
	h.Start(t)
	if second := h.Greeting(); rig.SetupLink.MatchString(second) || keyText.MatchString(second) || curlLine.MatchString(second) {
		t.Errorf("the second start printed %s", second)
	}
	if a := h.Get(t, "/api/v1/models", key); a.Status != http.StatusOK {
		t.Errorf("the first key after the second start: %d %s", a.Status, a.Body)
	}
}

// paste runs a line the way a person's shell does.
func paste(t *testing.T, h *rig.House, line string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		parts := curlParts.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("not understood without curl: %s", line)
		}
		return h.Get(t, strings.TrimPrefix(parts[1], h.URL), parts[2]).Body
	}
	var errors strings.Builder
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, errors.String())
	}
	return string(out)
}

func TestDataFolderIsItsOwnersOnly(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	seen := make(map[string]bool)
	err := filepath.WalkDir(h.Data, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %s", name, info.Mode())
		}
		seen[d.Name()] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stele.db", "master.key", "blobs", "control.sock"} {
		if !seen[name] {
			t.Errorf("there is no %s: %v", name, seen)
		}
	}
}

// TestOnlyHashesAreKept looks for the text of keys in every byte of the data folder.
func TestOnlyHashesAreKept(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	made := h.CreateKey(t)
	rotated := h.Rotate(t, made.ID, "--grace", "1h")
	h.Await(t, rotated.Key, http.StatusOK)
	first := keyText.FindString(h.Greeting())
	h.Stop(t)
	err := filepath.WalkDir(h.Data, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, key := range []string{made.Key, rotated.Key, first} {
			if _, random, _ := strings.Cut(strings.TrimPrefix(key, "sk_"), "_"); strings.Contains(string(b), random[:20]) {
				t.Errorf("%s holds the text of a key", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeysChangeUnderARunningServer changes keys with another process. What the
// server is to see within a second is awaited ten times as long.
func TestKeysChangeUnderARunningServer(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	testKeysChange(t, h)
}

func testKeysChange(t *testing.T, h *rig.House) {
	t.Helper()
	t.Run("revoke", func(t *testing.T) {
		t.Parallel()
		k := h.CreateKey(t, "--env", "production")
		h.Await(t, k.Key, http.StatusOK)
		h.Revoke(t, k.ID)
		h.Await(t, k.Key, http.StatusUnauthorized)
	})
	t.Run("expire", func(t *testing.T) {
		t.Parallel()
		k := h.CreateKey(t, "--expires", "10s")
		h.Await(t, k.Key, http.StatusOK)
		h.Await(t, k.Key, http.StatusUnauthorized)
	})
	t.Run("rotate", func(t *testing.T) {
		t.Parallel()
		old := h.CreateKey(t)
		h.Await(t, old.Key, http.StatusOK)
		fresh := h.Rotate(t, old.ID)
		h.Await(t, fresh.Key, http.StatusOK)
		answers(t, h, old.Key, http.StatusUnauthorized)
	})
	t.Run("rotate with grace, twice, revoke", func(t *testing.T) {
		t.Parallel()
		first := h.CreateKey(t)
		h.Await(t, first.Key, http.StatusOK)
		second := h.Rotate(t, first.ID, "--grace", "1h")
		h.Await(t, second.Key, http.StatusOK)
		answers(t, h, first.Key, http.StatusOK)
		third := h.Rotate(t, first.ID, "--grace", "1h")
		h.Await(t, third.Key, http.StatusOK)
		answers(t, h, second.Key, http.StatusOK)
		answers(t, h, first.Key, http.StatusOK) // its own grace goes on
		h.Revoke(t, first.ID)
		for _, k := range []rig.Key{first, second, third} {
			answers(t, h, k.Key, http.StatusUnauthorized)
		}
	})
	t.Run("rotate twice, both answers lost", func(t *testing.T) {
		t.Parallel()
		inUse := h.CreateKey(t)
		answers(t, h, inUse.Key, http.StatusOK)
		h.Rotate(t, inUse.ID)
		last := h.Rotate(t, inUse.ID)
		answers(t, h, inUse.Key, http.StatusOK)
		answers(t, h, last.Key, http.StatusOK)
		answers(t, h, inUse.Key, http.StatusUnauthorized)
	})
	t.Run("rotate what has leaked", func(t *testing.T) {
		t.Parallel()
		leaked := h.CreateKey(t)
		fresh := h.Rotate(t, leaked.ID, "--at-once")
		answers(t, h, leaked.Key, http.StatusUnauthorized)
		answers(t, h, fresh.Key, http.StatusOK)
	})
	t.Run("grace ends", func(t *testing.T) {
		t.Parallel()
		old := h.CreateKey(t)
		h.Await(t, old.Key, http.StatusOK)
		fresh := h.Rotate(t, old.ID, "--grace", "1s")
		h.Await(t, fresh.Key, http.StatusOK)
		h.Await(t, old.Key, http.StatusUnauthorized)
		answers(t, h, fresh.Key, http.StatusOK)
	})
	t.Run("last use", func(t *testing.T) {
		t.Parallel()
		k := h.CreateKey(t)
		h.Await(t, k.Key, http.StatusOK)
		rig.Eventually(t, "the last use is listed", func() bool {
			for _, listed := range h.Keys(t) {
				if listed.ID == k.ID {
					return listed.LastUsedAt != nil
				}
			}
			return false
		})
	})
}

func answers(t *testing.T, h *rig.House, key string, status int) {
	t.Helper()
	if a := h.Get(t, "/api/v1/models", key); a.Status != status {
		t.Errorf("the key %.12s… is answered with %d %s, want %d", key, a.Status, a.Body, status)
	}
}

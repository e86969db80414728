package rig

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Key is a key as the command line prints it for scripts.
type Key struct {
	ID          string     `json:"id"`
	Key         string     `json:"key"` // the secret; on create and rotate only
	Name        string     `json:"name"`
	Workspace   string     `json:"workspace"`
	Environment string     `json:"environment"`
	Sandbox     bool       `json:"sandbox"`
	Scopes      []string   `json:"scopes"`
	Models      []string   `json:"models"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at"`
	Status      string     `json:"status"`
}

// CreateKey makes a key on the command line, as args say. Every running server
// knows it when this returns.
func (h *House) CreateKey(t testing.TB, args ...string) Key {
	t.Helper()
	return h.key(t, append([]string{"keys", "create", "--name", "test", "--json"}, args...)...)
}

// Rotate gives a key a new secret.
func (h *House) Rotate(t testing.TB, id string, args ...string) Key {
	t.Helper()
	return h.key(t, append([]string{"keys", "rotate", id, "--json"}, args...)...)
}

// Revoke ends a key.
func (h *House) Revoke(t testing.TB, id string) {
	t.Helper()
	h.Run(t, "keys", "revoke", id)
}

// Keys lists all keys.
func (h *House) Keys(t testing.TB) []Key {
	t.Helper()
	var keys []Key
	if err := json.Unmarshal([]byte(h.Run(t, "keys", "list", "--json")), &keys); err != nil {
		t.Fatalf("keys list: %v", err)
	}
	return keys
}

// Await returns when the running server answers the model list with this status
// to this key. Changes are seen in the order they were made: a test that awaits the
// last one has awaited them all.
func (h *House) Await(t testing.TB, key string, status int) {
	t.Helper()
	var last Answer
	defer func() {
		if t.Failed() && last.Status != status {
			t.Logf("the last answer was %d %s", last.Status, last.Body)
		}
	}()
	Eventually(t, fmt.Sprintf("the key is answered with %d", status), func() bool {
		var err error
		last, err = h.Send(h.keyed(t, "GET", "/api/v1/models", key, ""))
		return err == nil && last.Status == status
	})
}

func (h *House) key(t testing.TB, args ...string) Key {
	t.Helper()
	var k Key
	text := h.Run(t, args...)
	if err := json.Unmarshal([]byte(text), &k); err != nil || k.ID == "" || k.Key == "" {
		t.Fatalf("stele %s printed %s (%v)", strings.Join(args, " "), text, err)
	}
	h.Keep(k.Key)
	return k
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Forge makes the text of a key that no server ever made, with a right checksum:
// the rule is public.
func Forge(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for range 32 {
		b.WriteByte(letters[rand.IntN(len(letters))]) //nolint:gosec // it opens nothing
	}
	sum := crc32.ChecksumIEEE([]byte(b.String()))
	tail := make([]byte, 6)
	for i := len(tail) - 1; i >= 0; i-- {
		tail[i] = letters[sum%62]
		sum /= 62
	}
	return b.String() + string(tail)
}

// Mistype changes the last character of a key: the checksum is wrong then.
func Mistype(key string) string {
	last := "0"
	if strings.HasSuffix(key, last) {
		last = "1"
	}
	return key[:len(key)-1] + last
}

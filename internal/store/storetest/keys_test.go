package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/uid"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 123e6, time.UTC)

func key(name, workspace string, at time.Time) access.Key {
	return access.Key{
		ID: uid.New("key"), Name: name, Workspace: workspace, Environment: access.Production,
		CreatedAt: at, Secrets: []access.Secret{{Hash: strings.Repeat("0", 38) + uid.Secret(16)}},
	}
}

func entry(action string) access.Entry {
	return access.Entry{ID: uid.New("aud"), At: noon, Actor: "command-line", Workspace: "default", Action: action, Target: "key_1"}
}

func keysComeBack(t *testing.T, s access.Store) {
	full := key("it's \"quoted\", ünïcode", "acme", noon)
	full.Sandbox = true
	full.Scope = access.Scope{Groups: []access.Group{access.GroupChat, access.GroupApps}, Models: []string{"openai/*", "stele/?"}}
	full.ExpiresAt, full.RevokedAt, full.LastUsedAt = noon.Add(time.Hour), noon.Add(time.Minute), noon.Add(time.Second)
	full.Creator, full.Idle, full.CIDRs = "command-line", time.Hour, []string{"10.0.0.0/8", "2001:db8::/32"}
	full.Secrets = append(full.Secrets, access.Secret{Hash: "ab", Until: noon.UnixMilli(), Used: true})
	must(t, s.InsertKey(t.Context(), full, entry("key.create")))
	full.Revision = 1
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{Workspace: "acme"})
	must(t, err)
	if diff := cmp.Diff([]access.Key{full}, keys); diff != "" {
		t.Errorf("key changed in the store (-saved +read):\n%s", diff)
	}
}

func keysListed(t *testing.T, s access.Store) {
	for i, workspace := range []string{"a", "b", "a"} {
		must(t, s.InsertKey(t.Context(), key(fmt.Sprint(i), workspace, noon.Add(time.Duration(i)*time.Second)), entry("key.create")))
	}
	for workspace, want := range map[string]string{"a": "20", "b": "1", "": "210", "c": ""} {
		keys, err := s.FindKeys(t.Context(), access.KeyFilter{Workspace: workspace})
		must(t, err)
		var got strings.Builder
		for _, k := range keys {
			got.WriteString(k.Name)
		}
		if got.String() != want {
			t.Errorf("workspace %q: keys %q, want %q", workspace, got.String(), want)
		}
	}
}

func keysFound(t *testing.T, s access.Store) {
	var made []access.Key
	for i, name := range []string{"Batch 100%", "batch_2", "other"} {
		k := key(name, "acme", noon.Add(time.Duration(i/2)*time.Second)) // two of one moment
		must(t, s.InsertKey(t.Context(), k, entry("key.create")))
		made = append(made, k)
	}
	must(t, s.InsertKey(t.Context(), key("batch elsewhere", "b", noon), entry("key.create")))
	mark := func(k access.Key) access.Cursor { return access.Cursor{At: k.CreatedAt, ID: k.ID} }
	older := []string{made[0].Name, made[1].Name}
	if made[0].ID < made[1].ID {
		slices.Reverse(older)
	}
	oldest := made[slices.IndexFunc(made, func(k access.Key) bool { return k.Name == older[0] })]
	for _, c := range []struct {
		f    access.KeyFilter
		want []string
	}{
		{access.KeyFilter{Text: "batch"}, older},
		{access.KeyFilter{Text: "0%"}, []string{"Batch 100%"}},
		{access.KeyFilter{Text: "h_2"}, []string{"batch_2"}},
		{access.KeyFilter{Text: "nothing"}, nil},
		{access.KeyFilter{Text: made[2].ID}, []string{"other"}},
		{access.KeyFilter{ID: made[1].ID}, []string{"batch_2"}},
		{access.KeyFilter{Limit: 1}, []string{"other"}},
		{access.KeyFilter{Before: mark(made[2]), Limit: 1}, older[:1]},
		{access.KeyFilter{Before: mark(oldest)}, older[1:]},
	} {
		c.f.Workspace = "acme"
		keys, err := s.FindKeys(t.Context(), c.f)
		must(t, err)
		var got []string
		for _, k := range keys {
			got = append(got, k.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: keys %q, want %q", c.f, got, c.want)
		}
	}
	names, err := s.KeyNames(t.Context(), "acme", 100)
	must(t, err)
	if len(names) != 3 || names[made[2].ID] != "other" {
		t.Errorf("names %v", names)
	}
}

func keysFollowed(t *testing.T, s access.Store) {
	first, second := key("first", "default", noon), key("second", "default", noon)
	must(t, s.InsertKey(t.Context(), first, entry("key.create")))
	seen, _, err := s.Revisions(t.Context())
	must(t, err)
	must(t, s.InsertKey(t.Context(), second, entry("key.create")))
	_, err = s.UpdateKey(t.Context(), first.ID, func(k *access.Key) (access.Entry, error) {
		k.RevokedAt = noon
		return entry("key.revoke"), nil
	})
	must(t, err)
	changed, err := s.KeysSince(t.Context(), seen)
	must(t, err)
	if len(changed) != 2 || changed[0].Name != "second" || changed[1].Name != "first" || changed[1].RevokedAt.IsZero() {
		t.Errorf("changed since %d: %+v", seen, changed)
	}
	latest, _, err := s.Revisions(t.Context())
	must(t, err)
	if rest, err := s.KeysSince(t.Context(), latest); err != nil || len(rest) != 0 {
		t.Errorf("after the latest revision: %d keys, %v", len(rest), err)
	}
}

func keysInParallel(t *testing.T, s access.Store) {
	k := key("k", "default", noon)
	must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	const writers = 20
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			_, err := s.UpdateKey(t.Context(), k.ID, func(k *access.Key) (access.Entry, error) {
				k.CIDRs = append(k.CIDRs, "x")
				return entry("key.rotate"), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{Workspace: "default"})
	must(t, err)
	if got := len(keys[0].CIDRs); got != writers {
		t.Errorf("%d of %d changes survived", got, writers)
	}
}

func keyChangeRefused(t *testing.T, s access.Store) {
	k := key("k", "default", noon)
	must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	refusal := errors.New("no")
	_, err := s.UpdateKey(t.Context(), k.ID, func(k *access.Key) (access.Entry, error) {
		k.Secrets[0].Hash = "other"
		return entry("key.rotate"), refusal
	})
	if !errors.Is(err, refusal) {
		t.Fatalf("err = %v, want the refusal", err)
	}
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{})
	must(t, err)
	if keys[0].Secrets[0] != k.Secrets[0] {
		t.Error("a refused change was saved")
	}
}

func keysTouched(t *testing.T, s access.Store) {
	k := key("k", "default", noon)
	must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	before, _, err := s.Revisions(t.Context())
	must(t, err)
	for _, at := range []time.Time{noon.Add(time.Minute), noon} {
		must(t, s.TouchKeys(t.Context(), map[string]time.Time{k.ID: at, "key_none": at}))
	}
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{})
	must(t, err)
	if got := keys[0].LastUsedAt; !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("last used at %v", got)
	}
	if after, _, err := s.Revisions(t.Context()); err != nil || after != before {
		t.Errorf("a use counted as a change: revision %d → %d, %v", before, after, err)
	}
}

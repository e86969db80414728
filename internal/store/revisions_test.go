package store

import (
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/limit"
	"stele/internal/uid"
)

// Every change of what servers keep in memory is seen under its name, and under no other.
func TestEachChangeIsSeenUnderItsName(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		l := testLimit(limit.Dollars, limit.Hour, 10e9)
		l.Subject = []limit.Selector{{By: limit.ByKey, Value: limit.Each}}
		hour := time.Now().Truncate(time.Hour)
		told := func() error {
			_, err := s.write.ExecContext(t.Context(), `UPDATE limit_marks SET told = 1`)
			return err
		}
		for i, step := range []struct {
			name   string
			change func() error
		}{
			{"keys", func() error {
				return s.InsertKey(t.Context(), access.Key{ID: uid.New("key"), Workspace: "default", Name: "k", CreatedAt: time.Now(), Secrets: []access.Secret{{Hash: "h"}}},
					access.Entry{ID: uid.New("aud"), At: time.Now(), Action: "key.create"})
			}},
			{"keyring", func() error { _, err := s.SetOnce(t.Context(), "keyring", "one"); return err }},
			{"keyring", func() error { _, err := s.SwapSetting(t.Context(), "keyring", "one", "two"); return err }},
			{"limits", func() error { saveTestLimit(t, s, l); return nil }},
			{"thresholds", func() error { take(t, s, &l, hour, 9e9); return nil }},
			{"thresholds", told},
			{"thresholds", func() error { take(t, s, &l, hour.Add(time.Hour), 9e9); return nil }}, // as many as before
			{"", func() error { return s.Set(t.Context(), "other", "x") }},
		} {
			before, err := s.AllRevisions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := step.change(); err != nil {
				t.Fatal(err)
			}
			after, err := s.AllRevisions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for name := range before {
				if _, ok := after[name]; !ok {
					after[name] = ""
				}
			}
			for name, value := range after {
				if (before[name] != value) != (name == step.name) {
					t.Errorf("step %d, a change of %q: %s went from %q to %q", i, step.name, name, before[name], value)
				}
			}
		}
	})
}

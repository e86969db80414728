package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/meter"
)

func TestFiguresCountWhatAnOperatorShouldKnow(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.Now()
		since := now.Add(-24 * time.Hour)
		f, err := s.Figures(t.Context(), since, now)
		if err != nil {
			t.Fatal(err)
		}
		if f.SetAside+f.GivenUp+f.Unsettled+f.Unfinished+f.BareAdmins+f.NodesAlive+len(f.Unpriced) != 0 || !f.OldestWaits.IsZero() {
			t.Errorf("an empty database: %+v", f)
		}
		if (s.engine == postgres) == f.Clock.IsZero() || !f.Clock.IsZero() && f.Clock.Sub(now).Abs() > time.Minute {
			t.Errorf("the clock: %s", f.Clock)
		}
		r := record(1)
		r.At, r.Priced, r.PriceSource, r.Model = now, false, catalog.Unpriced, "free/lunch"
		if err := s.InsertRecords(t.Context(), []meter.Record{r}); err != nil {
			t.Fatal(err)
		}
		if err := s.Beat(t.Context(), "node_1", now); err != nil {
			t.Fatal(err)
		}
		for _, row := range []string{
			`INSERT INTO set_aside (id, workspace, kind, about, subject, reason, nano, at) VALUES ('gen_1', 'default', 'generation', '', '', '', 0, 1)`,
			`INSERT INTO users (id, email, password, admin, created_at) VALUES ('user_1', 'a@example.com', 'hash', 1, 1)`,
			`INSERT INTO users (id, email, password, admin, created_at) VALUES ('user_2', 'b@example.com', '', 0, 1)`,
			`INSERT INTO users (id, email, password, admin, created_at) VALUES ('user_3', 'c@example.com', 'hash', 1, 1)`,
		} {
			if _, err := s.write.ExecContext(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.write.ExecContext(t.Context(), `INSERT INTO factors (id, user_id, via, kind, name, sealed, step, created_at, used_at)
			VALUES ('factor_1', 'user_3', '', 'totp', '', $1, 0, 1, 1)`, []byte{1}); err != nil {
			t.Fatal(err)
		}
		for id, at := range map[string]time.Time{"msg_1": now, "msg_2": since.Add(-time.Hour)} {
			if _, err := s.write.ExecContext(t.Context(), `INSERT INTO deliveries (id, workspace, subject, type, url, body, state, tries, status, problem, created_at, tried_at, delivered_at)
				VALUES ($1, 'default', '', '', '', $2, 'given_up', 10, 0, '', $3, 0, 0)`, id, []byte{}, millis(at)); err != nil {
				t.Fatal(err)
			}
		}
		if f, err = s.Figures(t.Context(), since, now); err != nil {
			t.Fatal(err)
		}
		if f.SetAside != 1 || f.GivenUp != 1 || f.BareAdmins != 1 || f.NodesAlive != 1 || !maps.Equal(f.Unpriced, map[string]int{"free/lunch": 1}) {
			t.Errorf("%+v", f)
		}
	})
}

func TestVersionsAreReadWithoutATrace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := Inspect(t.Context(), "", folder, time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if list, err := os.ReadDir(folder); len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	s, err := Open(t.Context(), "", folder)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	is, err := Inspect(t.Context(), "", folder, time.Now())
	if err != nil || is.Schema != is.Known || is.Known < 26 || len(is.Steps) > 0 {
		t.Errorf("%+v: %v", is, err)
	}
	if _, err := s.write.ExecContext(t.Context(), `DELETE FROM goose_db_version WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)`); err != nil {
		t.Fatal(err)
	}
	if again, err := Inspect(t.Context(), "", folder, time.Now()); err != nil || again.Schema >= is.Schema || len(again.Steps) == 0 {
		t.Errorf("%+v: %v", again, err)
	}
}

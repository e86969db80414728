package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/seal"
	"stele/internal/store/storetest"
)

var chainNoon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func chained(t *testing.T, engine string, entries int) (*Store, func(text string) string) {
	t.Helper()
	s := openTest(t, engine)
	hasher := seal.NewRing().Prover()
	proves := func(text string) string { return fmt.Sprintf("%x", hasher.Sum(text)) }
	s.SetProver(proves)
	if err := s.ChainOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		e := access.Entry{
			ID: fmt.Sprintf("aud_%02d", i), At: chainNoon.Add(time.Duration(i) * time.Minute), Workspace: "acme", Action: "key.create", Actor: "usr_1",
			Target: "key_1", Detail: "ci", Changes: []access.Change{{Field: "name", Old: "a", New: "b"}},
		}
		if err := s.InsertEntry(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return s, proves
}

func verify(t *testing.T, s *Store, proves func(string) string, anchor access.Chained) access.Verdict {
	t.Helper()
	v, err := access.VerifyAudit(t.Context(), s, proves, anchor)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func onEngines(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

func TestWhateverIsDoneToTheAuditLogIsFound(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		texts := map[string]string{
			"deleted in the middle": `DELETE FROM audit WHERE seq = 5`,
			"deleted at the end":    `DELETE FROM audit WHERE seq = 10`,
			"deleted at the start":  `DELETE FROM audit WHERE seq = 1`,
			"all deleted":           `DELETE FROM audit`,
			"deleted with its head": `DELETE FROM audit WHERE seq = 10; UPDATE audit_head SET seq = 9, hash = (SELECT hash FROM audit WHERE seq = 9)`,
			"cut at the start":      `DELETE FROM audit WHERE seq <= 3; UPDATE audit_head SET base_seq = 3, base_hash = 'x'`,
			"exchanged":             `UPDATE audit SET seq = -1 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = -1`,
			"put beside":            `INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail) VALUES ('aud_x', 0, '', '', '', 'a.b', '', '')`,
			"put at the end": `INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail, seq, hash)
				VALUES ('aud_x', 0, '', '', '', 'a.b', '', '', 11, 'x'); UPDATE audit_head SET seq = 11, hash = 'x'`,
			"no head": `DELETE FROM audit_head`,
		}
		for _, column := range []string{"id", "actor", "actor_name", "workspace", "action", "target", "detail", "hash"} {
			texts["another "+column] = `UPDATE audit SET ` + column + ` = 'x' WHERE seq = 5`
		}
		texts["another at"] = `UPDATE audit SET at = at + 1 WHERE seq = 5`
		texts["other changes"] = `UPDATE audit SET changes = '[{"Field":"name","Old":"a","New":"c"}]' WHERE seq = 5`
		texts["no changes"] = `UPDATE audit SET changes = '' WHERE seq = 5`
		s, proves := chained(t, engine, 10)
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) > 0 || v.Entries != 10 || v.Head.Seq != 10 {
			t.Fatalf("untouched: %+v", v)
		}
		for name, statements := range texts {
			tx, err := s.write.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for statement := range strings.SplitSeq(statements, "; ") {
				if _, err := tx.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			v, err := access.VerifyAudit(t.Context(), within{s, tx}, proves, access.Chained{})
			if err != nil || len(v.Faults) == 0 {
				t.Errorf("%s is not found: %v", name, err)
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// within reads the chain in a transaction.
type within struct {
	*Store

	tx *sql.Tx
}

func (w within) AuditHead(ctx context.Context) (access.Head, error) {
	return scanHead(w.tx.QueryRowContext(ctx, selectHead))
}

func (w within) EntriesAfter(ctx context.Context, seq int64, limit int) ([]access.Entry, error) {
	return selectEntries(ctx, w.tx, `SELECT `+auditColumns+` FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2`, seq, limit)
}

func (w within) CountUnchained(ctx context.Context) (n int64, err error) {
	return n, w.tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM audit WHERE seq IS NULL`).Scan(&n)
}

// A thief who has the database alone cannot make a chain of their own.
func TestAChainMadeAnewIsFound(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		s, proves := chained(t, engine, 3)
		noted := verify(t, s, proves, access.Chained{}).Head.Chained
		if _, err := s.write.ExecContext(t.Context(), `DELETE FROM audit`); err != nil {
			t.Fatal(err)
		}
		if _, err := s.write.ExecContext(t.Context(), `UPDATE audit_head SET seq = 0, hash = '', proof = ''`); err != nil {
			t.Fatal(err)
		}
		s.SetProver(func(string) string { return "forged" })
		for range 3 {
			if err := s.InsertEntry(t.Context(), access.Entry{ID: fmt.Sprint(time.Now().UnixNano()), Action: "a.b"}); err != nil {
				t.Fatal(err)
			}
		}
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) != 1 || !strings.Contains(v.Faults[0], "head") {
			t.Errorf("faults: %v", v.Faults)
		}
		if v := verify(t, s, func(string) string { return "forged" }, noted); len(v.Faults) != 1 || !strings.Contains(v.Faults[0], "noted down") {
			t.Errorf("faults against what was noted down: %v", v.Faults)
		}
	})
}

func TestOldEntriesAreChainedOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		s := openTest(t, engine)
		old := func(id string, at int64) {
			if _, err := s.write.ExecContext(t.Context(), `INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail)
				VALUES ($1, $2, '', '', 'acme', 'a.b', '', '')`, id, at); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 1200 {
			old(fmt.Sprintf("aud_%04d", i), int64(2000-i))
		}
		proves := func(text string) string { return "proof of " + text }
		s.SetProver(proves)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := s.ChainOld(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) > 0 || v.Entries != 1200 {
			t.Fatalf("%+v", v)
		}
		first, err := s.EntriesAfter(t.Context(), 0, 1)
		if err != nil || first[0].ID != "aud_1199" {
			t.Errorf("the first is %+v, %v", first, err)
		}
		old("aud_late", 1)
		if err := s.ChainOld(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) != 1 {
			t.Errorf("a line that was put beside the chain: %+v", v)
		}
	})
}

func TestOldEntriesGoAndTheChainStays(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		s, proves := chained(t, engine, 10)
		n, err := s.DeleteEntriesBefore(t.Context(), chainNoon.Add(4*time.Minute))
		if err != nil || n != 4 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		v := verify(t, s, proves, access.Chained{})
		if len(v.Faults) > 0 || v.Entries != 6 || v.Head.Base.Seq != 4 {
			t.Errorf("%+v", v)
		}
		if n, err := s.DeleteEntriesBefore(t.Context(), chainNoon.Add(time.Hour)); err != nil || n != 6 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		if err := s.InsertEntry(t.Context(), access.Entry{ID: "aud_next", Action: "a.b"}); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) > 0 || v.Entries != 1 || v.Head.Seq != 11 {
			t.Errorf("%+v", v)
		}
	})
}

// Entries are written inside of other changes, which lock other rows in any order.
func TestEntriesOfManyAtOnceMakeOneChain(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		s, proves := chained(t, engine, 0)
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range 3 {
					e := access.Entry{ID: fmt.Sprintf("aud_%d_%d", worker, i), At: chainNoon, Action: "a.b"}
					err := s.inTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
						lock := func() error { _, err := nextRevision(ctx, tx, "offers"); return err }
						write := func() error { return s.insertAudit(ctx, tx, e) }
						if (worker+i)%2 == 0 {
							lock, write = write, lock // the other way round they wait for each other
						}
						return errors.Join(lock(), write())
					})
					if err != nil {
						t.Errorf("worker %d: %v", worker, err)
					}
				}
			})
		}
		all.Wait()
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) > 0 || v.Entries != 12 {
			t.Errorf("%+v", v)
		}
	})
}

func TestEntriesKeepWhatChangedWithinBounds(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, engine string) {
		s, proves := chained(t, engine, 0)
		e := access.Entry{ID: "aud_1", At: chainNoon, Workspace: "acme", Action: "a.b", Detail: "nul\x00 \xff" + strings.Repeat("é", 2000)}
		for range 300 {
			e.Changes = append(e.Changes, access.Change{Field: "x", Old: strings.Repeat("o", 5000), New: "\x00"})
		}
		if err := s.InsertEntry(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		list, err := s.Entries(t.Context(), access.Filter{Workspace: "acme", Limit: 5})
		if err != nil || len(list) != 1 || len(list[0].Detail) > 1010 || len(list[0].Changes) != 100 || len(list[0].Changes[0].Old) > 1010 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		if v := verify(t, s, proves, access.Chained{}); len(v.Faults) > 0 {
			t.Errorf("%v", v.Faults)
		}
	})
}

package store

import (
	"fmt"
	"testing"
	"time"

	"stele/internal/limit"
	"stele/internal/meter"
)

// Rows, counters, leases and the ledger agree; whichever of them is changed behind
// their back is named, to the nano.
func TestMoneyIsVerified(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		l := testLimit(limit.Dollars, limit.Day, 1e9)
		saveTestLimit(t, s, l)
		day := time.Now().UTC().Truncate(24 * time.Hour)
		var ids []int64
		for i := range 5 {
			c := limit.Counter{Limit: l.ID, Subject: fmt.Sprint("user ", i), Start: day, End: day.AddDate(0, 0, 1)}
			_, b, err := s.Lease(t.Context(), "node", c, &l, 1000, 1000)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, b.ID)
			r := record(i)
			r.Charges = limit.ChargesText([]limit.Charge{{Counter: b.ID, N: int64(100 + i)}})
			if err := s.insertRecordsOf(t.Context(), "node", []meter.Record{r}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Bury(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		verify := func(kept time.Time) limit.Verified {
			t.Helper()
			v, err := s.VerifyMoney(t.Context(), kept)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if v := verify(time.Time{}); v.Counters != 5 || v.Rows != 5 || v.Partly != 0 || len(v.Differences) != 0 {
			t.Fatalf("what is whole: %+v", v)
		}
		id := ids[1]
		for i, wrong := range []struct{ what, change, back string }{
			{"settled", `UPDATE limit_counters SET settled = settled + 1 WHERE id = $1`, `UPDATE limit_counters SET settled = settled - 1 WHERE id = $1`},
			{"settled", `UPDATE requests SET charges = charges || '1' WHERE at = (SELECT MIN(at) + 1000 FROM requests) AND $1 > 0`, `UPDATE requests SET charges = substr(charges, 1, length(charges) - 1) WHERE at = (SELECT MIN(at) + 1000 FROM requests) AND $1 > 0`},
			{"leased", `UPDATE limit_counters SET leased = leased + 1 WHERE id = $1`, `UPDATE limit_counters SET leased = leased - 1 WHERE id = $1`},
			{"leased", `UPDATE limit_leases SET amount = amount + 7 WHERE counter = $1`, `UPDATE limit_leases SET amount = amount - 7 WHERE counter = $1`},
			{"held", `UPDATE limit_counters SET held = held + 3 WHERE id = $1`, `UPDATE limit_counters SET held = held - 3 WHERE id = $1`},
			{"ledger", `UPDATE ledger SET nano = nano - 1 WHERE counter = $1`, `UPDATE ledger SET nano = nano + 1 WHERE counter = $1`},
			{"doubt", `UPDATE limit_leases SET doubt = doubt + 2 WHERE counter = $1`, `UPDATE limit_leases SET doubt = doubt - 2 WHERE counter = $1`},
		} {
			if _, err := s.write.ExecContext(t.Context(), wrong.change, id); err != nil {
				t.Fatal(err)
			}
			v := verify(time.Time{})
			if len(v.Differences) != 1 || v.Differences[0].What != wrong.what || v.Differences[0].Counter != id || v.Differences[0].Subject != "user 1" {
				t.Errorf("%d, %s: %+v", i, wrong.change, v)
			}
			if _, err := s.write.ExecContext(t.Context(), wrong.back, id); err != nil {
				t.Fatal(err)
			}
		}
		// Rows that are not kept any more cannot be added up.
		if _, err := s.write.ExecContext(t.Context(), `DELETE FROM requests`); err != nil {
			t.Fatal(err)
		}
		if v := verify(time.Now().Add(time.Hour)); v.Partly != 5 || len(v.Differences) != 0 {
			t.Errorf("without rows: %+v", v)
		}
		if v := verify(time.Time{}); len(v.Differences) != 5 {
			t.Errorf("with rows missing: %+v", v)
		}
	})
}

// However many counters there are, each is compared once, a batch after the other.
func TestCountersAreVerifiedInBatches(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	l := testLimit(limit.Dollars, limit.Day, 1e9)
	saveTestLimit(t, s, l)
	for i := range 7 {
		c := limit.Counter{Limit: l.ID, Subject: fmt.Sprint(i), Start: time.Now()}
		if _, _, err := s.Lease(t.Context(), "node", c, &l, 10, 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.write.ExecContext(t.Context(), `UPDATE limit_counters SET leased = 11 WHERE subject = '6'`); err != nil {
		t.Fatal(err)
	}
	tx, err := s.read.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var found limit.Verified
	check := verification{tx: tx, found: &found, size: 3}
	after, more := int64(0), true
	for more {
		if after, more, err = check.batch(t.Context(), after); err != nil {
			t.Fatal(err)
		}
	}
	if found.Counters != 7 || len(found.Differences) != 1 || found.Differences[0].Subject != "6" {
		t.Errorf("found %+v", found)
	}
}

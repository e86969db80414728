package store

import (
	"net/url"
	"testing"
	"time"

	"stele/internal/store/storetest"
)

// A process that is cut off in the middle of a transaction keeps others from its rows until
// PostgreSQL gives it up.
func TestATransactionThatIsLeftLocksNothingForLong(t *testing.T) {
	t.Parallel()
	databaseURL, _ := storetest.Place(t, "postgres")
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("idle_in_transaction_session_timeout", "2s")
	u.RawQuery = query.Encode()
	other, err := Open(t.Context(), databaseURL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	left, err := Open(t.Context(), u.String(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	const change = `UPDATE goose_db_version SET is_applied = is_applied`
	tx, err := left.write.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), change)
	}
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := exec(t.Context(), other.write, "change", change); err != nil || time.Since(begun) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	if tx.Commit() == nil {
		t.Error("what was given up is saved")
	}
}

// No operator has to set anything for that; what one has set stays, and a transaction that reads or writes
// files in between is waited for.
func TestHowLongATransactionMayBeIdle(t *testing.T) {
	t.Parallel()
	databaseURL, _ := storetest.Place(t, "postgres")
	s, err := Open(t.Context(), databaseURL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	shown := func(q querier) (text string) {
		text, err := selectValue[string](t.Context(), q, "look", `SELECT current_setting('idle_in_transaction_session_timeout')`)
		if err != nil {
			t.Error(err)
		}
		return text
	}
	if got := shown(s.write); got != "30s" {
		t.Errorf("a transaction may be idle for %s", got)
	}
	snapshot, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if got := shown(snapshot.tx); got != "0" {
		t.Errorf("a snapshot may be idle for %s", got)
	}
}

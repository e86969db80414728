package store

import (
	"os"
	"slices"
	"testing"
	"time"

	"stele/internal/meter"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

// TestUsageRowsMayBePartitioned has the file that operators are given turn the table
// into one with a partition for each day, and works with it as before.
func TestUsageRowsMayBePartitioned(t *testing.T) {
	t.Parallel()
	s := openTest(t, "postgres")
	now := time.Now().UTC()
	busy := slices.Collect(storetest.BusyRecords(100, 100, time.Hour, now))[0]
	mustInsert(t, s, busy)
	file, err := os.ReadFile("../../deploy/postgres/partitions.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.pool.Exec(t.Context(), string(file)); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := s.write.QueryRow(`SELECT stele_row_id($1)`, now.Truncate(time.Millisecond)).Scan(&id); err != nil || id != uid.At("use", now) {
		t.Fatalf("the lowest id of %s is %s, want %s, %v", now, id, uid.At("use", now), err)
	}
	wantParts(t, s, now, "7 made, 0 dropped")
	wantParts(t, s, now, "0 made, 0 dropped")

	mustInsert(t, s, busy) // they are there already
	var days []meter.Record
	for i := range 9 { // today, the seven days that have a partition, and one that has none
		r := busy[0]
		r.At = now.AddDate(0, 0, i)
		r.ID = uid.At("use", r.At)[:29] + "1"
		days = append(days, r)
	}
	mustInsert(t, s, days)
	mustInsert(t, s, days)
	found, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default"}, 1000)
	if err != nil || len(found.Records) != 109 || found.Records[0].ID != days[8].ID {
		t.Fatalf("%d rows, want 109, %v", len(found.Records), err)
	}
	if n := countIn(t, s, "requests_other"); n != 1 {
		t.Errorf("%d rows without a day, want 1", n)
	}

	wantParts(t, s, now.AddDate(0, 0, 33), "7 made, 2 dropped") // tomorrow's and the day after that's
	if n := countIn(t, s, "requests"); n != 107 {
		t.Errorf("%d rows are left, want 107", n)
	}
	if n, err := s.DeleteRecordsBefore(t.Context(), now.Add(time.Minute)); err != nil || n != 101 {
		t.Errorf("%d rows deleted, want 101, %v", n, err)
	}
	if n := countIn(t, s, "requests"); n != 6 {
		t.Errorf("%d rows are left, want 6", n)
	}
}

func mustInsert(t *testing.T, s *Store, list []meter.Record) {
	t.Helper()
	if err := s.InsertRecords(t.Context(), slices.Clone(list)); err != nil {
		t.Fatal(err)
	}
}

func countIn(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	if err := s.read.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func wantParts(t *testing.T, s *Store, today time.Time, want string) {
	t.Helper()
	var said string
	if err := s.write.QueryRow(`SELECT stele_partition_requests(30, $1)`, today).Scan(&said); err != nil || said != want {
		t.Fatalf("%q, want %q, %v", said, want, err)
	}
}

package store

import (
	"syscall"
	"testing"
	"time"

	"stele/internal/meter"
	"stele/internal/store/storetest"
)

// BenchmarkYearOfEndUsers looks for those who used the most in a year in which each day
// tells a thousand apart: in all days, and among the leaders of weeks. It counts this
// process's time, which is all of SQLite's.
func BenchmarkYearOfEndUsers(b *testing.B) {
	for _, engine := range storetest.Engines() {
		databaseURL, folder := storetest.Place(b, engine)
		s, err := Open(b.Context(), databaseURL, folder)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(s.Close)
		now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
		today := now.Truncate(24 * time.Hour)
		if _, err := s.write.ExecContext(b.Context(), `INSERT INTO usage_groups
			(workspace, dim, day, environment, name, requests, failed, input, cache_read, cache_write, output, reasoning, nano, took, unpriced, markup)
			WITH RECURSIVE days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 365),
			users (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM users WHERE n < 1499)
			SELECT 'default', 'user', CAST($1 AS BIGINT) - d * CAST(86400000 AS BIGINT), CASE n % 3 WHEN 0 THEN 'development' ELSE 'production' END,
			'user-' || ((n * 7919 + d * 104729) % 100000), 1 + n % 7, 0, 100 + n, n % 11, 0, 50 + n % 13, 0, (n * 31 + d * 17) % 1000000, 1000, 0, 0
			FROM days, users`, millis(today)); err != nil {
			b.Fatal(err)
		}
		of := meter.Slice{Workspace: "default", From: today.AddDate(0, 0, -364), Until: today.AddDate(0, 0, 1)}
		look := func(b *testing.B) {
			before := processorTime(b)
			for b.Loop() {
				if list, err := s.UsageGroups(b.Context(), of, meter.ByUser, meter.Cost, 51); err != nil || len(list) != 51 {
					b.Fatal(len(list), err)
				}
			}
			b.ReportMetric(float64((processorTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		}
		b.Run(engine+"/days", look)
		if n, err := s.NoteLeaders(b.Context(), now); err != nil || n < 50 {
			b.Fatal(n, err)
		}
		b.Run(engine+"/leaders", look)
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

package wire

import "time"

// Time is a moment as all who are told one read it, clients, scripts and
// spreadsheets: UTC, to the millisecond.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

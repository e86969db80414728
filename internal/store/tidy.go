package store

import (
	"time"

	"stele/internal/label"
	"stele/internal/meter"
)

// How much of a record is kept. Texts come from clients and upstreams, and some are
// in indexes, which take no more than two kilobytes; figures are added up, and a sum
// that no longer fits would keep its whole day from being saved.
const (
	longestName  = label.Longest
	longestNote  = 16 << 10
	mostTokens   = 1 << 40
	mostNano     = 1 << 50 // a million USD
	longestCall  = 30 * 24 * time.Hour
	longestTags  = 1024
	longestWords = 64 // ids, codes and the like, which are ours
)

// tidy makes a record fit for any database: valid text without NUL, within bounds.
func tidy(r *meter.Record) {
	for _, text := range [...]*string{&r.Request, &r.Workspace, &r.Route, &r.Model, &r.Asked, &r.Provider, &r.Target, &r.Extra, &r.Rates, &r.User} {
		*text = label.Storable(*text, longestName)
	}
	for _, text := range [...]*string{&r.ID, &r.Key, &r.Environment, &r.Dialect, &r.Code, &r.Person, &r.PriceSource, &r.PriceVersion} {
		*text = label.Storable(*text, longestWords)
	}
	if len(r.Path) > longestNote {
		r.Path = "" // half a list cannot be read
	}
	r.Tags = label.Storable(r.Tags, longestTags)
	r.Path, r.Dropped = label.Storable(r.Path, longestNote), label.Storable(r.Dropped, longestNote)
	for _, n := range [...]*int64{&r.Input, &r.CacheRead, &r.CacheWrite, &r.CacheWrite1h, &r.Output, &r.Reasoning} {
		*n = min(max(*n, 0), mostTokens)
	}
	r.Nano = min(max(r.Nano, -mostNano), mostNano)
	r.FirstByte, r.Took = min(max(r.FirstByte, 0), longestCall), min(max(r.Took, 0), longestCall)
}

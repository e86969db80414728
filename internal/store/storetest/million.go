package storetest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"stele/internal/meter"
	"stele/internal/uid"
)

// Busy fills a store with requests of the ninety days before now, as a busy house
// has them: a few keys and models with most of the calls, some that are rare, and
// failures of several kinds. It is the same every time.
func Busy(t testing.TB, s interface {
	InsertRecords(ctx context.Context, records []meter.Record) error
}, n int, now time.Time,
) {
	t.Helper()
	for batch := range BusyRecords(n, 5000, 90*24*time.Hour, now) {
		if err := s.InsertRecords(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// BusyRecords are requests of a time before now as a busy house has them, in batches that
// are overwritten. It is the same every time.
func BusyRecords(n, batch int, before time.Duration, now time.Time) iter.Seq[[]meter.Record] {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	step := before / time.Duration(n)
	return func(yield func([]meter.Record) bool) {
		list := make([]meter.Record, 0, batch)
		for i := range n {
			list = append(list, busyRecord(random, i, now.Add(-time.Duration(n-i)*step)))
			if len(list) == batch || i == n-1 {
				if !yield(list) {
					return
				}
				list = list[:0]
			}
		}
	}
}

func busyRecord(random *rand.Rand, i int, at time.Time) meter.Record {
	often := func(n int) int { return int(float64(n) * random.Float64() * random.Float64()) } // the first are the most
	r := meter.Record{
		ID: idAt("use", at, i), At: at, Request: idAt("req", at, i), Workspace: "default", Environment: "production", Route: "POST /api/v1/chat/completions", Dialect: "openai",
		Stream: random.IntN(3) > 0, Status: 200, Tries: 1,
		Input: random.Int64N(5000), CacheRead: random.Int64N(2000), Output: random.Int64N(900), Reasoning: random.Int64N(300),
		Nano: random.Int64N(20_000_000), Priced: true, Rates: "3 0.3 3.75 15",
		FirstByte: time.Duration(200+random.IntN(900)) * time.Millisecond, Took: time.Duration(1+random.IntN(20)) * time.Second,
	}
	key, model := often(20), often(15)
	if key%3 == 2 {
		r.Environment = "development"
	}
	r.Key, r.Model = fmt.Sprintf("key_%02d", key), fmt.Sprintf("acme/model-%02d", model)
	r.Provider, r.Target = fmt.Sprintf("provider-%d", (model+random.IntN(20)/19)%5), "upstream-of-"+r.Model // sometimes the second target serves
	switch random.IntN(40) {
	case 0:
		r.Status, r.Code = 429, "rate_limited"
	case 1:
		r.Status, r.Code = 502, "upstream_error"
	case 2:
		r.Status, r.Code = 499, "client_gone"
	case 3:
		r.Key, r.Environment = "", ""
	case 4:
		r.Dialect = "anthropic"
	}
	if random.IntN(4) > 0 { // most are for one of very many end users
		r.User, r.Tags, r.Person = fmt.Sprintf("user-%05d", often(100_000)), fmt.Sprintf("team=team-%d,feature=f%d", often(8), often(30)), fmt.Sprintf("usr_%02d", often(40))
	}
	if i%100_000 == 7 { // what a filter has to look for
		r.User, r.Tags = "user-rare", "team=rare"
		r.Key, r.Model, r.Provider, r.Dialect, r.Status, r.Code = "key_rare", "acme/rare", "provider-rare", "gemini", 500, "internal_error"
	}
	return r
}

// idAt is an id of a time that is the same every time.
func idAt(prefix string, at time.Time, i int) string {
	return uid.At(prefix, at)[:len(prefix)+1+18] + fmt.Sprintf("%08d", i)
}

package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// pollEvery is how often the provider lets itself be asked.
const pollEvery = 5 * time.Second

// TestManyOpenTasksAllEnd has a great many tasks open at the same time.
func TestManyOpenTasksAllEnd(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, databaseURL string) {
		f := follow(t, databaseURL, openTasks, opening, ending)
		t.Logf("%d open at once; after their end they were seen: %s", f.open, &f.seen)
	})
}

// BenchmarkFollowed says how long after the provider is done with one of ten
// thousand open tasks a client can see that, and have what was made. It is to be
// under 10 s for 99 of 100.
func BenchmarkFollowed(b *testing.B) {
	benches(b, func(b *testing.B, databaseURL string) {
		for b.Loop() {
			f := follow(b, databaseURL, 10_000, 2*time.Minute, 100*time.Second)
			b.ReportMetric(float64(f.open), "open")
			b.ReportMetric(f.seen.part(50).Seconds(), "s-seen-p50")
			b.ReportMetric(f.seen.part(99).Seconds(), "s-seen-p99")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// followed is what became of many tasks.
type followed struct {
	open int    // at the same time
	seen delays // after the provider was done
}

// follow orders n generations none of which ends before opening is over, and all
// of them within ending after that, and waits for their success.
func follow(tb testing.TB, databaseURL string, n int, opening, ending time.Duration) *followed {
	tb.Helper()
	d := open(tb, databaseURL, "")
	ids := make([]string, n)
	begun := time.Now()
	d.each(n, 32, func(i int) error {
		work := max(0, time.Until(begun.Add(opening))) + rand.N(ending)
		v, err := d.order(sandboxed(fmt.Sprintf("work=%s poll=%s", work.Round(time.Millisecond), pollEvery)))
		ids[i] = v.ID
		return err
	})
	patience := time.Until(begun.Add(opening + ending + 100*time.Second))
	d.each(n, 64, func(i int) error {
		v, err := d.ended(ids[i], patience)
		if err == nil && v.Status != "success" {
			err = fmt.Errorf("%s ended as %s: %s", v.ID, v.Status, v.Error.Message)
		}
		return err
	})
	if tb.Failed() {
		tb.FailNow()
	}
	return d.judge(databaseURL)
}

// judge compares the sandbox's books with ours.
func (d *desk) judge(databaseURL string) *followed {
	d.tb.Helper()
	rows, err := d.Books(d.tb, databaseURL).Query(`SELECT g.created_at, g.ended_at, j.life FROM generations g JOIN sandbox_journal j ON j.key = g.id`)
	if err != nil {
		d.tb.Fatal(err)
	}
	defer rows.Close()
	f := new(followed)
	var created []int64
	first := int64(1) << 62
	for rows.Next() {
		var from, to int64
		var life []byte
		var told struct {
			At   time.Time     `json:"at"`
			Work time.Duration `json:"work"`
		}
		if err := rows.Scan(&from, &to, &life); err != nil {
			d.tb.Fatal(err)
		}
		if err := json.Unmarshal(life, &told); err != nil {
			d.tb.Fatal(err)
		}
		f.seen.add(time.UnixMilli(to).Sub(told.At.Add(told.Work)))
		created, first = append(created, from), min(first, to)
	}
	if err := rows.Err(); err != nil {
		d.tb.Fatal(err)
	}
	for _, at := range created {
		if at <= first {
			f.open++
		}
	}
	return f
}

package load

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

const (
	clients = 16  // at the same time, of either
	turn    = 480 // orders or inserts in a row
)

// BenchmarkAccepted compares generations that were accepted through the API, with
// keys, log and usage on, to bare inserts by River: one transaction each, the
// same number at a time, by turns on the same database. It is to be 60 % or more.
//
// Orders of the scene named pending are accepted and sent, and then go on for
// ever; plain ones are made and kept as well, all while the next come in.
func BenchmarkAccepted(b *testing.B) {
	benches(b, func(b *testing.B, databaseURL string) {
		d := open(b, databaseURL, "")
		bare := bareRiver(b, d, databaseURL)
		for _, scene := range []struct {
			name, orders string
			keyed        bool
		}{
			{"pending", "pending poll=10m", false},
			{"pending keyed", "pending poll=10m", true},
			{"plain", "work=0s", false},
		} {
			b.Run(scene.name, func(b *testing.B) {
				var ours, theirs, ratios []float64
				for b.Loop() {
					river := together(b, bare)
					accepted := together(b, func() error { return d.accept(scene.orders, scene.keyed) })
					d.settle(databaseURL)
					theirs, ours = append(theirs, turn/river.Seconds()), append(ours, turn/accepted.Seconds())
					ratios = append(ratios, 100*river.Seconds()/accepted.Seconds())
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(ours), "accepted/s")
				b.ReportMetric(median(theirs), "river/s")
				b.ReportMetric(median(ratios), "%")
			})
		}
	})
}

// median is what counts where others use the machine, too.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

var keys atomic.Int64

func (d *desk) accept(orders string, keyed bool) error {
	var header []string
	if keyed {
		header = []string{"Idempotency-Key", fmt.Sprintf("order %d", keys.Add(1))}
	}
	_, err := d.order(sandboxed(orders), header...)
	return err
}

// settle waits until the server has done with every order what can be done, so
// that none of it is counted against what comes next.
func (d *desk) settle(databaseURL string) {
	d.tb.Helper()
	db := d.Books(d.tb, databaseURL)
	defer db.Close()
	for end := time.Now().Add(5 * time.Minute); ; {
		var busy int
		err := db.QueryRow(`SELECT (SELECT COUNT(*) FROM generations WHERE stage NOT IN ('waiting', 'ended'))
			+ (SELECT COUNT(*) FROM river_job WHERE queue = 'generation' AND state IN ('available', 'running', 'retryable', 'scheduled'))`).Scan(&busy)
		if err == nil && busy == 0 {
			return
		}
		if time.Now().After(end) {
			d.tb.Fatalf("%d tasks and jobs are left: %v", busy, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// together calls do a turn's times from all clients and says how long that took.
func together(b *testing.B, do func() error) time.Duration {
	b.Helper()
	begun := time.Now()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range turn / clients {
				if err := do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begun)
}

// note is a job of no tenant: the server does not look at its queue.
type note struct {
	Text string `json:"text"`
}

func (note) Kind() string { return "note" }

func (note) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: "notes"} }

// bareRiver inserts a job as a user of River would, in a transaction of its own.
func bareRiver(b *testing.B, d *desk, databaseURL string) func() error {
	b.Helper()
	args := note{"gen_01k9yq5v2nf1qrx8c3d4e5f6g7"}
	if databaseURL == "" {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(d.Data, "stele.db")+
			"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate")
		if err != nil {
			b.Fatal(err)
		}
		db.SetMaxOpenConns(1) // as River advises: SQLite has one writer
		b.Cleanup(func() { _ = db.Close() })
		c, err := river.NewClient(riversqlite.New(db), &river.Config{})
		if err != nil {
			b.Fatal(err)
		}
		return func() error { _, err := c.Insert(b.Context(), args, nil); return err }
	}
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = clients
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return func() error { _, err := c.Insert(b.Context(), args, nil); return err }
}

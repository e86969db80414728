package load

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// BenchmarkCost says what one chat and one generation cost on either engine: processor
// time of Stele and of PostgreSQL, what is written and what stays, and how many
// statements there were, all with whatever a server does beside. PostgreSQL must be on this
// machine and serve nothing else. docs/scale.md reckons with its figures.
func BenchmarkCost(b *testing.B) {
	benches(b, func(b *testing.B, databaseURL string) {
		maker, chats := newProvider(b, "", 0, 0), newChats()
		b.Cleanup(func() { maker.end(); chats.Close() })
		d := open(b, databaseURL, accounts(b, map[string]*provider{"quick": maker})+
			"  local: {kind: openai, base_url: "+chats.URL+"/v1, api_key: none, models: ['*']}\n")
		books := d.Books(b, databaseURL)
		for _, scene := range []struct {
			name string
			size int // calls of a round
			call func() error
		}{
			{"chat", 4000, func() error { return d.chat("") }},
			{"stream", 4000, func() error { return d.chat(`,"stream":true,"stream_options":{"include_usage":true}`) }},
			{"generation", 480, func() error { _, err := d.order(of("quick")); return err }},
		} {
			b.Run(scene.name, func(b *testing.B) {
				d.calls(b, scene.size/4, scene.call) // warm
				d.quiet(b, databaseURL, books)
				m, n := d.meter(b, databaseURL, books), 0
				for b.Loop() {
					d.calls(b, scene.size, scene.call)
					n += scene.size
				}
				d.quiet(b, databaseURL, books)
				m.report(b, n)
			})
		}
	})
}

// newChats is an upstream for chats whose answers are those of a small model.
func newChats() *httptest.Server {
	const use = `"usage":{"prompt_tokens":412,"completion_tokens":57,"total_tokens":469}`
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !strings.Contains(string(asked), `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"small","choices":[{"index":0,"message":{"role":"assistant","content":"`+
				strings.Repeat("All is well. ", 18)+`"},"finish_reason":"stop"}],`+use+`}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range 57 {
			_, _ = io.WriteString(w, `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{"content":"well"},"finish_reason":null}]}`+"\n\n")
		}
		_, _ = io.WriteString(w, `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[],`+use+"}\n\ndata: [DONE]\n\n")
	}))
}

func (d *desk) chat(more string) error {
	answer, err := d.send(http.MethodPost, "/api/v1/chat/completions",
		`{"model":"local/small","messages":[{"role":"system","content":"You are terse."},{"role":"user","content":"How are things?"}]`+more+`}`)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d %.300s", answer.StatusCode, text)
	}
	return err
}

func (d *desk) calls(b *testing.B, n int, call func() error) {
	b.Helper()
	d.tb = b
	d.each(n, clients, func(int) error { return call() })
}

// quiet waits until every task has ended and every row is in the database.
func (d *desk) quiet(b *testing.B, databaseURL string, books *sql.DB) {
	b.Helper()
	d.settle(databaseURL)
	for before := int64(-1); ; {
		var n int64
		if err := books.QueryRow(`SELECT COUNT(*) FROM requests`).Scan(&n); err != nil {
			b.Fatal(err)
		}
		if n == before {
			return
		}
		before = n
		time.Sleep(2 * time.Second) // the journal is carried over twice a second
	}
}

// costs are figures that only grow.
type costs struct {
	stele, postgres              time.Duration
	written, logged, kept, asked int64
}

type costMeter struct {
	d     *desk
	url   string
	books *sql.DB
	begun costs
	seen  map[int]time.Duration // of PostgreSQL's processes
}

func (d *desk) meter(b *testing.B, databaseURL string, books *sql.DB) *costMeter {
	b.Helper()
	m := &costMeter{d: d, url: databaseURL, books: books, seen: make(map[int]time.Duration)}
	m.begun = m.look(b)
	return m
}

func (m *costMeter) report(b *testing.B, n int) {
	b.Helper()
	end := m.look(b)
	per := func(x int64, name string) { b.ReportMetric(float64(x)/float64(n), name) }
	b.ReportMetric(0, "ns/op")
	per((end.stele - m.begun.stele).Microseconds(), "µs-stele/op")
	per(end.written-m.begun.written, "B-written/op")
	per(end.kept-m.begun.kept, "B-kept/op")
	if m.url == "" {
		return
	}
	per((end.postgres - m.begun.postgres).Microseconds(), "µs-postgres/op")
	per(end.logged-m.begun.logged, "B-wal/op")
	if end.asked > 0 {
		per(end.asked-m.begun.asked, "statements/op")
	}
}

var writtenBytes = regexp.MustCompile(`(?m)^write_bytes: (\d+)$`)

func (m *costMeter) look(b *testing.B) (c costs) {
	b.Helper()
	c.stele = rig.CPUTime(b, m.d.PID())
	counted, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", m.d.PID()))
	if err != nil {
		b.Fatal(err)
	}
	c.written, _ = strconv.ParseInt(string(writtenBytes.FindSubmatch(counted)[1]), 10, 64)
	size := `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	if m.url != "" {
		size = `SELECT pg_database_size(current_database())`
	}
	if err := m.books.QueryRow(size).Scan(&c.kept); err != nil {
		b.Fatal(err)
	}
	if m.url == "" {
		return c
	}
	if err := m.books.QueryRow(`SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT)`).Scan(&c.logged); err != nil {
		b.Fatal(err)
	}
	c.postgres = m.postgres(b)
	c.asked = m.statements()
	return c
}

// postgres is how long the processes of the database have run.
func (m *costMeter) postgres(b *testing.B) (sum time.Duration) {
	b.Helper()
	rows, err := m.books.Query(`SELECT pid FROM pg_stat_activity`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			b.Fatal(err)
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil {
			b.Fatal(err)
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		m.seen[pid] = time.Duration(n)
	}
	for _, ran := range m.seen {
		sum += ran
	}
	return sum
}

// statements is how many there were, 0 where PostgreSQL does not count them.
func (m *costMeter) statements() (n int64) {
	_, _ = m.books.Exec(`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	_ = m.books.QueryRow(`SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&n)
	return n
}

package disk

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // what is left is read as an operator's own tools would

	"stele/test/rig"
)

// acts of clients that were acknowledged, each with where the trace was then.
type ledger struct {
	caller

	t     *testing.T
	trace string

	mu    sync.Mutex // guards all below
	rows  map[string]acked
	chats []string
}

// acked is a row of a table that a client was told of.
type acked struct {
	table string
	at    int64
	sum   string // of a file
}

// TestNothingAcknowledgedIsMissing has clients order, upload, chat and make keys, and
// cuts the power at random afterwards: the disk has what was synced until then, and of
// the rest whatever it likes.
func TestNothingAcknowledgedIsMissing(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	h := rig.Start(t, rig.Options{Env: []string{"STELE_DISK_TRACE=" + trace}})
	l := &ledger{caller: caller{h, h.CreateKey(t).Key}, t: t, trace: trace, rows: make(map[string]acked)}
	h.Await(t, l.key, http.StatusOK)
	l.ack("workspaces", "default", "")
	ready := l.rows["default"].at
	l.work()
	l.everyChatIsBooked()
	h.Stop(t)
	list := readTrace(t, trace)
	books := booked(list)
	for _, id := range l.chats {
		if books[id] == 0 {
			t.Errorf("the chat %s was never booked", id)
		}
	}
	places := make([]int64, cuts)
	for i := range places {
		places[i] = rand.Int64N(list[len(list)-1].end + 1)
	}
	slices.Sort(places)
	p, next := newPlatter(), 0
	for i, cut := range places {
		for next < len(list) && list[next].end <= cut {
			p.take(&list[next])
			next++
		}
		m := mood(rand.N(int(moods)))
		left := rig.New(t, rig.Options{})
		p.write(t, h.Data, left.Data, m)
		if cut >= ready {
			l.judge(left, cut, books, fmt.Sprintf("cut %d at %d, mood %d", i, cut, m))
		}
		if i%thorough == 0 {
			left.Start(t)
			left.Stop(t)
			left.Run(t, "money", "verify")
		}
		if t.Failed() {
			return
		}
		if err := os.RemoveAll(left.Data); err != nil {
			t.Fatal(err)
		}
	}
}

// work has clients act until they were acknowledged often enough.
func (l *ledger) work() {
	var wg sync.WaitGroup
	for c := range 8 {
		wg.Go(func() {
			for n := range acts / 8 {
				if err := l.act(c*acts + n); err != nil {
					l.t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	l.ack("keys", l.CreateKey(l.t).ID, "")
}

func (l *ledger) act(n int) error {
	switch n % 4 {
	case 0:
		return l.picture("Idempotency-Key", fmt.Sprint("order ", n))
	case 1:
		return l.picture()
	case 2:
		a, err := l.upload(n)
		if err != nil || a.Status != http.StatusCreated {
			return fmt.Errorf("an upload: %d %s %w", a.Status, a.Body, err)
		}
		sum := sha256.Sum256([]byte(drawing(n)))
		l.ack("files", idOf(a), hex.EncodeToString(sum[:]))
	case 3:
		id := fmt.Sprint("chat-", n)
		a, err := l.chat(id)
		if err != nil || a.Status != http.StatusOK {
			return fmt.Errorf("a chat: %d %s %w", a.Status, a.Body, err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.chats = append(l.chats, id)
	}
	return nil
}

// picture orders one, and sometimes waits for it: what is shown as made is kept, too.
func (l *ledger) picture(header ...string) error {
	a, err := l.order(header...)
	if err != nil || a.Status != http.StatusCreated {
		return fmt.Errorf("an order: %d %s %w", a.Status, a.Body, err)
	}
	id := idOf(a)
	l.ack("generations", id, "")
	if rand.N(2) == 0 {
		return nil
	}
	a, err = l.send("GET", "/api/v1/generations/"+id+"?wait=30", "", "")
	if err != nil || !strings.Contains(a.Body, `"success"`) {
		return fmt.Errorf("a picture: %d %s %w", a.Status, a.Body, err)
	}
	l.ack("generations", id+" made", "")
	return nil
}

func (l *ledger) ack(table, id, sum string) {
	info, err := os.Stat(l.trace)
	if err != nil || id == "" {
		l.t.Errorf("%s %q: %v", table, id, err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows[id] = acked{table, info.Size(), sum}
}

// everyChatIsBooked waits until the disk has the last record.
func (l *ledger) everyChatIsBooked() {
	const last = "chat-last"
	if _, err := l.chat(last); err != nil {
		l.t.Fatal(err)
	}
	rig.Eventually(l.t, "the last chat is booked", func() bool { return booked(readTrace(l.t, l.trace))[last] > 0 })
	l.chats = append(l.chats, last)
}

// judge looks whether what is left has all that was acknowledged before the cut, and
// whether what it has is whole.
func (l *ledger) judge(h *rig.House, cut int64, books map[string]int64, what string) {
	l.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.Data, "stele.db"))
	if err != nil {
		l.t.Fatal(err)
	}
	defer db.Close()
	var fine string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&fine); err != nil || fine != "ok" {
		l.t.Errorf("%s: the database is %q, %v", what, fine, err)
		return
	}
	missing := func(query string, args ...any) bool {
		var n int
		if err := db.QueryRow(query, args...).Scan(&n); err != nil {
			l.t.Errorf("%s: %v", what, err)
		}
		return n == 0
	}
	for id, a := range l.rows {
		id, made := strings.CutSuffix(id, " made")
		switch {
		case a.at > cut:
		case made && missing(`SELECT COUNT(*) FROM generations WHERE id = $1 AND state = 'success'`, id),
			missing(`SELECT COUNT(*) FROM `+a.table+` WHERE id = $1`, id):
			l.t.Errorf("%s: %s of %s is missing, acknowledged at %d (made: %v)", what, id, a.table, a.at, made)
		}
	}
	waiting := journal(l.t, h)
	for id, at := range books {
		if at <= cut && !strings.Contains(waiting, `"`+id+`"`) && missing(`SELECT COUNT(*) FROM requests WHERE request = $1`, id) {
			l.t.Errorf("%s: the chat %s is missing, booked at %d", what, id, at)
		}
	}
	wholeFiles(l.t, h, db, what, l.rows)
}

// journal is what waits in it.
func journal(t *testing.T, h *rig.House) string {
	t.Helper()
	var text strings.Builder
	names, _ := filepath.Glob(filepath.Join(h.Data, "journal", "usage_*"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	return text.String()
}

// wholeFiles looks whether there is a file for each row that names one, with the bytes that
// the row tells of, and its client knows.
func wholeFiles(t *testing.T, h *rig.House, db *sql.DB, what string, known map[string]acked) {
	t.Helper()
	rows, err := db.Query(`SELECT id, blob, sha256 FROM files WHERE state = 'ready'`)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var id, blob, want string
		if err := rows.Scan(&id, &blob, &want); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(h.Data, "blobs", filepath.FromSlash(blob)))
		sum := sha256.Sum256(b)
		if got := hex.EncodeToString(sum[:]); err != nil || got != want || (known[id].sum != "" && known[id].sum != got) {
			t.Errorf("%s: the bytes of %s are %s, want %s, %v", what, id, got, want, err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

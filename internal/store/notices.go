package store

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"stele/internal/pause"
)

const (
	noticeChannel = "stele_generation"
	keyChannel    = "stele_keys"
	noticeIDs     = 200 // in one notice: PostgreSQL takes up to 8,000 bytes

	quietListening = 5 * time.Second
)

// notices tells the other processes which tasks were changed, right after the
// commit and many at once. In the transactions themselves it would make all their
// commits wait for each other. What is lost in a crash only delays a reader who
// waits on another node until that looks again by itself.
type notices struct {
	pool *pgxpool.Pool
	rung chan struct{}
	end  context.CancelFunc
	done chan struct{}

	mu  sync.Mutex // guards ids
	ids map[string]bool
}

func newNotices(pool *pgxpool.Pool) *notices {
	ctx, end := context.WithCancel(context.Background())
	n := &notices{pool: pool, rung: make(chan struct{}, 1), end: end, done: make(chan struct{}), ids: make(map[string]bool)}
	go n.run(ctx)
	return n
}

// notifyChanged tells other processes of a task. On SQLite there are none.
func (s *Store) notifyChanged(id string) {
	if s.notices == nil {
		return
	}
	s.notices.mu.Lock()
	s.notices.ids[id] = true
	s.notices.mu.Unlock()
	tell(s.notices.rung)
}

func (n *notices) run(ctx context.Context) {
	defer close(n.done)
	for {
		select {
		case <-n.rung:
			n.send(ctx)
		case <-ctx.Done():
			n.send(ctx)
			return
		}
	}
}

// send tells what is there. What cannot be told is let go: see above.
func (n *notices) send(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	n.mu.Lock()
	ids := n.ids
	n.ids = make(map[string]bool)
	n.mu.Unlock()
	for some := range slices.Chunk(slices.Collect(maps.Keys(ids)), noticeIDs) {
		if _, err := n.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, noticeChannel, strings.Join(some, " ")); err != nil {
			return
		}
	}
}

func (n *notices) close() {
	n.end()
	<-n.done
}

// Listen calls changed for every task that a process on this database has changed,
// and fills News for every change of keys, until ctx ends. A broken connection is made anew; what was said meanwhile is lost.
// Through a pooler nothing can be heard: those who wait look again by themselves.
func (s *Store) Listen(ctx context.Context, log *slog.Logger, changed func(id string)) {
	failing := false
	for ctx.Err() == nil && s.pool != nil && !s.pooled {
		err := s.listen(ctx, func() { failing = false }, changed)
		if ctx.Err() != nil {
			return
		}
		if !failing {
			log.LogAttrs(ctx, slog.LevelWarn, "changes of other processes are not heard", slog.Any("error", err))
		}
		failing = true
		_ = pause.For(ctx, time.Second) // the loop looks whether it is to go on
	}
	<-ctx.Done()
}

func (s *Store) listen(ctx context.Context, ready func(), changed func(id string)) error {
	taken, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	conn := taken.Hijack() // for good: it is none of the pool's any more
	defer conn.Close(context.WithoutCancel(ctx))
	for _, channel := range []string{noticeChannel, keyChannel} {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	ready()
	tell(s.keyNews) // what was said before was not heard
	for {
		notice, err := waitForNotice(ctx, conn)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		if notice == nil {
			continue
		}
		if notice.Channel == keyChannel {
			tell(s.keyNews)
			continue
		}
		for id := range strings.SplitSeq(notice.Payload, " ") {
			changed(id)
		}
	}
}

// waitForNotice waits for a while, and then asks whether the server still lives: one
// that says nothing may be gone. Where there was nothing to hear the notice is nil.
func waitForNotice(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	bounded, cancel := context.WithTimeout(ctx, quietListening)
	defer cancel()
	notice, err := conn.WaitForNotification(bounded)
	if err == nil || ctx.Err() != nil || bounded.Err() == nil {
		return notice, err
	}
	asking, cancelAsking := context.WithTimeout(ctx, pingTime)
	defer cancelAsking()
	return nil, conn.Ping(asking)
}

// Package store keeps what must survive a restart, on SQLite or PostgreSQL with
// one SQL text. It implements what the rooms declare and decides nothing: no
// rule of the product belongs in here.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"stele/internal/access"
	"stele/internal/disk"
	"stele/internal/fleet"
	"stele/internal/meter"
	"stele/internal/pause"
	"stele/internal/relay"
)

var _ access.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine   engine
	folder   string // of SQLite
	uncopied bool   // it is upgraded without a copy, on SQLite
	read     *sql.DB
	write    *sql.DB // on SQLite a pool of one connection: the engine has one writer anyway
	queue    Queue

	changes  batcher[*change]         // on SQLite
	orders   batcher[*newTask]        // on PostgreSQL
	turns    batcher[[]relay.Row]     // on PostgreSQL
	priority *writePriority           // on PostgreSQL
	proves   func(text string) string // makes the proof of the audit log's head; nil: none
	names    names
	vitals   func() fleet.Node     // what this process says of itself; nil: nothing
	saved    func([]*meter.Record) // told of usage that was saved; nil: none is

	pool     *pgxpool.Pool // beneath both, on PostgreSQL
	pooled   bool          // between it and PostgreSQL stands a pooler of connections
	prepares bool          // statements are prepared, on PostgreSQL
	watch    *watchman     // on PostgreSQL
	notices  *notices      // on PostgreSQL
	keyNews  chan struct{} // on PostgreSQL
}

type engine string

const (
	sqlite   engine = "sqlite"
	postgres engine = "postgres"
)

// Open opens the PostgreSQL database at databaseURL, or, where that is empty,
// the SQLite database in folder, and brings its tables up to date.
func Open(ctx context.Context, databaseURL, folder string) (*Store, error) {
	s, err := connect(ctx, databaseURL, folder)
	if err != nil {
		return nil, err
	}
	if err := s.upgrade(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// UpgradeWithoutCopy brings the tables up to date without the copy that is else kept of a SQLite database.
func UpgradeWithoutCopy(ctx context.Context, databaseURL, folder string) error {
	s, err := connect(ctx, databaseURL, folder)
	if err != nil {
		return err
	}
	defer s.Close()
	s.uncopied = true
	return s.upgrade(ctx)
}

func connect(ctx context.Context, databaseURL, folder string) (*Store, error) {
	if databaseURL != "" {
		return openPostgres(ctx, databaseURL)
	}
	return openSQLite(folder)
}

// Close releases the database.
func (s *Store) Close() {
	if s.notices != nil {
		s.notices.close()
	}
	_ = s.read.Close()
	_ = s.write.Close()
	if s.pool != nil {
		s.pool.Close()
		s.watch.close()
	}
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.read.PingContext(ctx) }

// Engine is sqlite or postgres, for logs and people.
func (s *Store) Engine() string { return string(s.engine) }

// OnSaved has f told of usage records, each once and after it was saved by this process. It is
// called before anything is saved. f must neither keep nor change them.
func (s *Store) OnSaved(f func([]*meter.Record)) { s.saved = f }

// tellSaved tells of records that are in the database now.
func (s *Store) tellSaved(records []*meter.Record) {
	if s.saved != nil && len(records) > 0 {
		s.saved(records)
	}
}

// Writer is the pool that writes, for what shares the database with the store.
func (s *Store) Writer() *sql.DB { return s.write }

// Pool is what is beneath Writer on PostgreSQL, nil on SQLite.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

func openSQLite(folder string) (*Store, error) {
	path := filepath.Join(folder, "stele.db")
	// The driver would make the file readable for all users of the machine.
	f, err := disk.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	open := func(extra string, connections int) (*sql.DB, error) {
		dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
			"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=fullfsync(1)&_pragma=foreign_keys(1)" + extra + disk.SQLite()
		db, err := openRemembering(dsn)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, nil
	}
	write, err := open("&_txlock=immediate", 1)
	if err != nil {
		return nil, err
	}
	read, err := open("&_pragma=query_only(1)", max(4, runtime.NumCPU()))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	s := &Store{engine: sqlite, folder: folder, read: read, write: write}
	s.changes.width, s.changes.do = 1, s.saveGroup
	return s, nil
}

// inTx saves what is not urgent. do may be called twice.
func (s *Store) inTx(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return s.save(ctx, background, do)
}

// save runs do in a transaction on the writer. Whatever error do gives rolls it back.
// do may be called twice.
func (s *Store) save(ctx context.Context, p priority, do func(context.Context, *sql.Tx) error) error {
	if s.engine == sqlite {
		return s.runGrouped(ctx, p, do)
	}
	done, err := s.waitToWrite(ctx, p)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	defer done()
	for again := range mostDeadlocks {
		if err = s.saveOnce(ctx, do); !isDeadlock(err) || again == mostDeadlocks-1 {
			break
		}
		// Not at the same moment as the other one again.
		if pause.For(ctx, rand.N(time.Duration(again+1)*deadlockPause)) != nil {
			return err
		}
	}
	return err
}

func (s *Store) saveOnce(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	if err := do(ctx, tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return wrap("commit transaction", tx.Commit())
}

// mostDeadlocks is how often a change is tried that PostgreSQL ended because two
// waited for each other, and how long the pause before the second try is at most.
const (
	mostDeadlocks = 10
	deadlockPause = 20 * time.Millisecond
)

func isDeadlock(err error) bool {
	told, ok := errors.AsType[*pgconn.PgError](err)
	return ok && told.Code == "40P01"
}

// waitToWrite waits until it is the turn of a change, which lasts until done is called.
func (s *Store) waitToWrite(ctx context.Context, p priority) (done func(), err error) {
	switch {
	case p.urgent:
		return s.priority.serve(), nil
	case p.word:
		return s.priority.hear(ctx, p.workspace)
	}
	return s.priority.wait(ctx, p.workspace)
}

// runOne runs a single statement.
func (s *Store) runOne(ctx context.Context, p priority, do func(context.Context, querier) error) error {
	if s.engine == postgres {
		done, err := s.waitToWrite(ctx, p)
		if err != nil {
			return err
		}
		defer done()
		return do(ctx, s.write)
	}
	return s.runGrouped(ctx, p, func(ctx context.Context, tx *sql.Tx) error { return do(ctx, tx) })
}

// forUpdate ends a SELECT whose row is to be changed. SQLite has one writer: the
// transaction has the lock.
func (s *Store) forUpdate() string { return s.lockClause(" FOR UPDATE") }

// skipLocked ends a SELECT whose rows are to be changed, but for those that another changes.
func (s *Store) skipLocked() string { return s.lockClause(" FOR UPDATE SKIP LOCKED") }

// forShare ends a SELECT whose row is to stay as it is until the transaction ends.
func (s *Store) forShare() string { return s.lockClause(" FOR SHARE") }

func (s *Store) lockClause(how string) string {
	if s.engine == postgres {
		return how
	}
	return ""
}

// inWorkspace is a condition on the workspace in $1, or on none where that is "". One
// condition for both would keep the engines from using their indexes.
func inWorkspace(workspace string) string {
	if workspace == "" {
		return `$1 = ''`
	}
	return `workspace = $1`
}

// deleteBites repeats a statement that deletes a bite at a time until nothing is
// left, so that no caller waits long for the writer. It returns how much that was.
func (s *Store) deleteBites(ctx context.Context, statement string, args ...any) (int64, error) {
	var all int64
	for {
		n, err := affect(ctx, s.write, "delete old rows", statement, args...)
		if err != nil || n == 0 {
			return all, err
		}
		all += n
	}
}

// millis is how times are kept: milliseconds UTC, 0 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// flag is how facts are kept: 1 for true.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func joinWords[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = string(v)
	}
	return strings.Join(texts, "\n")
}

func split[T ~string](text string) []T {
	if text == "" {
		return nil
	}
	var list []T
	for v := range strings.SplitSeq(text, "\n") {
		list = append(list, T(v))
	}
	return list
}

// toNotFound turns the driver's "no rows" into the rooms' ErrNotFound.
func toNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return access.ErrNotFound
	}
	return err
}

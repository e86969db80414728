package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// How long a server of PostgreSQL may take to let us in, where there is one and where
// another can be tried, and to say that a connection still stands.
const (
	connectTime = 10 * time.Second
	nextTime    = 3 * time.Second
	pingTime    = 3 * time.Second
)

func openPostgres(ctx context.Context, databaseURL string) (*Store, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, errors.New("the database URL cannot be read: write postgres://user:password@host:port/name") // err may quote the password
	}
	watch := newWatchman()
	prepareConfig(config, watch)
	pooled, err := meet(ctx, config.ConnConfig)
	if err != nil {
		watch.close()
		return nil, fmt.Errorf("reach database at %s: %w", strings.Join(hosts(config.ConnConfig), ", "), err)
	}
	if pooled && !strings.Contains(databaseURL, "default_query_exec_mode") {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !pooled { // a pooler would give the setting to others as well
		config.AfterConnect = endIdle
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		watch.close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	s := &Store{
		engine: postgres, read: db, write: db, pool: pool, pooled: pooled, watch: watch, notices: newNotices(pool), keyNews: make(chan struct{}, 1),
		prepares: config.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement && config.ConnConfig.DescriptionCacheCapacity > 0,
	}
	s.orders.width, s.orders.do = insertWidth, s.insertTasks
	s.turns.width, s.turns.do = insertWidth, s.insertTurns
	s.priority = newWritePriority(int64(config.MaxConns) * 3 / 4)
	return s, nil
}

// endIdle has PostgreSQL end a transaction of whose process nothing comes any more, unless
// the operator has said before how long it waits for one. The network may have been cut in the
// middle: its rows are locked for all others until then.
func endIdle(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '30s', false)
		WHERE current_setting('idle_in_transaction_session_timeout') = '0'`)
	return err
}

// planFor has PostgreSQL plan a query for its very values: for how many days, for which of very
// many names. A prepared one gets, from the sixth time on, a plan for all values, which takes any
// range for a short one and reads all of it where an index would leave most out.
func (s *Store) planFor(args []any) []any {
	if !s.prepares {
		return args
	}
	return append([]any{pgx.QueryExecModeCacheDescribe}, args...)
}

// allowIdle takes that back for a transaction in which files are read or written between two
// statements.
func (s *Store) allowIdle(ctx context.Context, tx *sql.Tx) error {
	if s.engine == sqlite {
		return nil
	}
	return exec(ctx, tx, "begin a long transaction", `SET LOCAL idle_in_transaction_session_timeout = 0`)
}

// prepareConfig sets what the URL does not. Of several hosts only the one that can be
// written to is meant: the others are its standbys.
func prepareConfig(config *pgxpool.Config, watch *watchman) {
	c := config.ConnConfig
	several := len(hosts(c)) > 1
	if several && c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTime
		if several {
			c.ConnectTimeout = nextTime
		}
	}
	c.DialFunc = watch.dial
	config.MaxConns = max(config.MaxConns, 16)
	config.PingTimeout = cmp.Or(config.PingTimeout, pingTime)
}

// hosts are the servers that a configuration names. One may be in it twice: with TLS
// and without.
func hosts(c *pgx.ConnConfig) []string {
	list := []string{fmt.Sprintf("%s:%d", c.Host, c.Port)}
	for _, f := range c.Fallbacks {
		if host := fmt.Sprintf("%s:%d", f.Host, f.Port); host != list[len(list)-1] {
			list = append(list, host)
		}
	}
	return list
}

// meet connects once and reports whether a pooler such as PgBouncer answered: then the
// process that does the work is not the one that we were told of. A pooler may give
// each transaction to another process, so that nothing may be left in one: no prepared
// statement, no lock of a session, no LISTEN.
func meet(ctx context.Context, config *pgx.ConnConfig) (pooled bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var worker uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&worker); err != nil {
		return false, err
	}
	return worker != conn.PgConn().PID(), nil
}

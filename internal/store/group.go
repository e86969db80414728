package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
)

// change is one caller's part of a transaction of SQLite, which many share.
type change struct {
	ctx    context.Context //nolint:containedctx // the caller's, who is waiting
	do     func(context.Context, *sql.Tx) error
	broken any // what do panicked with
}

// changeError is an error of a change itself, as told from one of the transaction.
type changeError struct{ error }

// runGrouped runs do in a transaction, perhaps with others. do may be called twice:
// when another one of its group fails, each gets a transaction of its own.
func (s *Store) runGrouped(ctx context.Context, p priority, do func(context.Context, *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	// A statement that is interrupted would end the transaction of all.
	c := &change{ctx: context.WithoutCancel(ctx), do: do}
	err := s.changes.join(c, p)
	if c.broken != nil {
		panic(c.broken)
	}
	return err
}

func (s *Store) saveGroup(group []*item[*change]) {
	err := s.saveTogether(group...)
	if _, failed := errors.AsType[*changeError](err); failed && len(group) > 1 {
		for _, c := range group {
			c.end(ownError(s.saveTogether(c)))
		}
		return
	}
	for _, c := range group {
		c.end(ownError(err))
	}
}

// saveTogether saves changes in one transaction.
func (s *Store) saveTogether(group ...*item[*change]) error {
	tx, err := s.write.BeginTx(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	for _, c := range group {
		if err := c.what.try(tx); err != nil {
			_ = tx.Rollback()
			return &changeError{err}
		}
	}
	return wrap("commit transaction", tx.Commit())
}

// try does a caller's part. A panic is the caller's, too.
func (c *change) try(tx *sql.Tx) (err error) {
	c.broken = nil
	defer func() {
		if v := recover(); v != nil {
			c.broken = fmt.Sprintf("%v\n%s", v, debug.Stack())
			err = errors.New("a change panicked")
		}
	}()
	return c.do(c.ctx, tx)
}

// ownError is an error as the change gave it.
func ownError(err error) error {
	if failed, ok := errors.AsType[*changeError](err); ok {
		return failed.error
	}
	return err
}

package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite" // the database/sql driver "sqlite"
	lib "modernc.org/sqlite/lib"

	"stele/internal/fault"
)

// mostStatements bounds what a connection remembers. The program has fewer.
const mostStatements = 256

// remembering opens connections of SQLite that remember statements: compiling one
// takes longer than most of them run, and callers write them out each time.
type remembering struct {
	engine driver.Driver
	dsn    string
}

func openRemembering(dsn string) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	defer plain.Close() // it was never used
	return sql.OpenDB(remembering{plain.Driver(), dsn}), nil
}

// Driver is SQLite's own.
func (r remembering) Driver() driver.Driver { return r.engine }

// Connect opens a connection.
func (r remembering) Connect(context.Context) (driver.Conn, error) {
	plain, err := r.engine.Open(r.dsn)
	if err != nil {
		return nil, ofDisk(err)
	}
	c, ok := plain.(engineConn)
	if !ok {
		return nil, fmt.Errorf("the driver's connections are %T", plain)
	}
	return &conn{engineConn: c, statements: make(map[string]*statement)}, nil
}

// engineConn is what SQLite's connections can do.
type engineConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection with a memory. database/sql uses it from one goroutine at a time.
type conn struct {
	engineConn
	statements map[string]*statement
}

// statement is a compiled one. It is busy while its rows are being read.
type statement struct {
	execer interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
	busy bool
}

// ExecContext runs a statement.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.recall(ctx, text)
	if err != nil {
		return nil, ofDisk(err)
	}
	var result driver.Result
	if s == nil {
		result, err = c.engineConn.ExecContext(ctx, text, args)
	} else {
		result, err = s.execer.ExecContext(ctx, args)
	}
	return result, ofDisk(err)
}

// QueryContext runs a statement that gives rows.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.recall(ctx, text)
	if err != nil {
		return nil, ofDisk(err)
	}
	if s == nil {
		rows, err := c.engineConn.QueryContext(ctx, text, args)
		return rows, ofDisk(err)
	}
	rows, err := s.execer.QueryContext(ctx, args)
	if err != nil {
		return nil, ofDisk(err)
	}
	s.busy = true
	return &heldRows{rows, s}, nil
}

// BeginTx begins a transaction.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.engineConn.BeginTx(ctx, o)
	if err != nil {
		return nil, ofDisk(err)
	}
	return heldTx{tx}, nil
}

// recall finds or compiles a statement, nil where it is busy or cannot be kept.
func (c *conn) recall(ctx context.Context, text string) (*statement, error) {
	if s := c.statements[text]; s != nil {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	c.forget()
	plain, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s := new(statement)
	var ok bool
	if s.execer, ok = plain.(interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}); !ok {
		return nil, plain.Close()
	}
	c.statements[text] = s
	return s, nil
}

// forget makes room for one more statement: any will do.
func (c *conn) forget() {
	for text, s := range c.statements {
		if len(c.statements) < mostStatements {
			return
		}
		if !s.busy {
			_ = s.execer.Close() // it is gone either way
			delete(c.statements, text)
		}
	}
}

// Close forgets everything.
func (c *conn) Close() error {
	for text, s := range c.statements {
		_ = s.execer.Close() // what is left goes with the connection
		delete(c.statements, text)
	}
	return c.engineConn.Close()
}

// heldRows are rows of a statement that can be used again when they are closed.
type heldRows struct {
	driver.Rows
	of *statement
}

// Close gives the statement back.
func (r *heldRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}

// Next reads a row.
func (r *heldRows) Next(to []driver.Value) error { return ofDisk(r.Rows.Next(to)) }

// heldTx is a transaction whose end may fail for the disk.
type heldTx struct{ driver.Tx }

// Commit ends it.
func (t heldTx) Commit() error { return ofDisk(t.Tx.Commit()) }

// ofDisk tells an error of a disk that is full or errs from one of a statement: the
// same change may be made when there is room again.
func ofDisk(err error) error {
	e, ok := errors.AsType[*sqlite3.Error](err)
	if !ok {
		return err
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_BUSY:
		return fault.NewAway(err)
	}
	return err
}

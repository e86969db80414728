package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// querier is a transaction, or a database in which a statement is one.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// exec runs a statement. what says what it does, in errors.
func exec(ctx context.Context, on querier, what, statement string, args ...any) error {
	_, err := on.ExecContext(ctx, statement, args...)
	return wrap(what, err)
}

// affect runs a statement and says how many rows it changed.
func affect(ctx context.Context, on querier, what, statement string, args ...any) (int64, error) {
	result, err := on.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, wrap(what, err)
	}
	n, err := result.RowsAffected()
	return n, wrap(what, err)
}

// execOr runs a statement that is to change a row, and gives none where it changes none.
func execOr(ctx context.Context, on querier, none error, what, statement string, args ...any) error {
	n, err := affect(ctx, on, what, statement, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// wrap says of an error what was being done. No error stays none.
func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// selectAll reads the rows of a query, each into the cells of a value.
func selectAll[T any](ctx context.Context, from querier, what string, cells func(*T) []any, query string, args ...any) ([]T, error) {
	var list []T
	err := selectEach(ctx, from, what, cells, func(v T) { list = append(list, v) }, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// selectEach hands over the rows of a query one at a time.
func selectEach[T any](ctx context.Context, from querier, what string, cells func(*T) []any, yield func(T), query string, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return wrap(what, err)
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(cells(&v)...); err != nil {
			return wrap(what, err)
		}
		yield(v)
	}
	return wrap(what, rows.Err())
}

// selectPairs reads rows of a name and a value.
func selectPairs[K comparable, V any](ctx context.Context, from querier, what, query string, args ...any) (map[K]V, error) {
	all := make(map[K]V)
	err := selectEach(ctx, from, what, func(p *pair[K, V]) []any { return []any{&p.name, &p.value} },
		func(p pair[K, V]) { all[p.name] = p.value }, query, args...)
	return all, err
}

type pair[K comparable, V any] struct {
	name  K
	value V
}

// selectOne reads the row of a query, or gives access.ErrNotFound where there is none.
func selectOne[T any](ctx context.Context, from querier, cells func(*T) []any, query string, args ...any) (v T, err error) {
	err = from.QueryRowContext(ctx, query, args...).Scan(cells(&v)...)
	return v, toNotFound(err)
}

// selectValue reads a row of one column. Where there is none that is sql.ErrNoRows.
func selectValue[T any](ctx context.Context, from querier, what, query string, args ...any) (v T, err error) {
	err = from.QueryRowContext(ctx, query, args...).Scan(&v)
	return v, wrap(what, err)
}

// value are the cells of a row of one column.
func value[T any](v *T) []any { return []any{v} }

// cell is where a column goes that is kept in one form and used in another.
type cell func(kept any) error

// Scan reads what is kept.
func (c cell) Scan(kept any) error { return c(kept) }

// cellOf reads a column that a driver gives as a T.
func cellOf[T any](read func(T) error) cell {
	return func(kept any) error {
		var v sql.Null[T]
		if err := v.Scan(kept); err != nil {
			return err
		}
		return read(v.V)
	}
}

// at reads a time that millis wrote.
func at(t *time.Time) cell {
	return cellOf(func(ms int64) error { *t = fromMillis(ms); return nil })
}

func durationIn(d *time.Duration, unit time.Duration) cell {
	return cellOf(func(n int64) error { *d = time.Duration(n) * unit; return nil })
}

// lines reads a list that joined wrote.
func lines[T ~string](list *[]T) cell {
	return cellOf(func(text string) error { *list = split[T](text); return nil })
}

// tree reads what encode wrote.
func tree(v any) cell { return cellOf(func(text string) error { return decode(text, v) }) }

// treeIfAny does the same, and leaves v as it is where there is nothing, or an empty list.
func treeIfAny(v any) cell {
	return cellOf(func(text string) error {
		if text == "" || text == "[]" {
			return nil
		}
		return decode(text, v)
	})
}

// bytesIfAny reads bytes, nil where there are none: engines differ.
func bytesIfAny[T ~[]byte](b *T) cell {
	return cellOf(func(kept []byte) error {
		if *b = nil; len(kept) > 0 {
			*b = kept
		}
		return nil
	})
}

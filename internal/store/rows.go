package store

import (
	"database/sql"
	"fmt"
)

// scanner is a row that can be read.
type scanner interface{ Scan(to ...any) error }

// scanAll reads the rows of a query, each by scan. what says what is read, in errors.
func scanAll[T any](what string, rows *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// deref is a scan of values for one that gives pointers.
func deref[T any](scan func(scanner) (*T, error)) func(scanner) (T, error) {
	return func(row scanner) (v T, err error) {
		p, err := scan(row)
		if err == nil {
			v = *p
		}
		return v, err
	}
}

package store

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// saveApart saves a list at once. Where a database refuses what is in it, the rest
// is saved without: halves are tried, and what is refused alone is handed to refuse.
// An error is one of the database itself; then some may have been saved, and all are
// to be saved again.
func saveApart[T any](list []T, save func([]T) error, refuse func(T, error) error) error {
	err := save(list)
	switch {
	case err == nil:
		return nil
	case !refusesRow(err):
		return err
	case len(list) == 1:
		return refuse(list[0], err)
	}
	half := len(list) / 2
	if err := saveApart(list[:half], save, refuse); err != nil {
		return err
	}
	return saveApart(list[half:], save, refuse)
}

// refusesRow reports whether a database refused what a row holds, as told from one
// that cannot save anything now. When in doubt it is the database: nothing is lost
// by waiting for it.
func refusesRow(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && len(e.Code) == 5 {
		switch e.Code[:2] {
		case "21", // cardinality
			"22", // data: NUL, numbers out of range
			"23", // integrity
			"44", // checks of views
			"54", // limits of the program: too long for an index
			"P0": // raised by a trigger
			return true
		}
	}
	if e, ok := errors.AsType[*driver.Error](err); ok {
		switch e.Code() & 0xff {
		case lib.SQLITE_TOOBIG, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH, lib.SQLITE_RANGE:
			return true
		}
	}
	return false
}

package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
)

var _ catalog.RecordStore = (*Store)(nil)

// StoredRecords lists the providers and models that are kept here.
func (s *Store) StoredRecords(ctx context.Context) ([]catalog.StoredRecord, error) {
	return selectAll(ctx, s.read, "read stored records", func(o *catalog.StoredRecord) []any {
		return []any{&o.Sort, &o.ID, &o.Fields, bytesIfAny(&o.Sealed), times(&o.SecretsAt), &o.Enabled, at(&o.CreatedAt), at(&o.UpdatedAt), &o.Revision}
	}, `SELECT sort, id, fields, sealed, secrets_at, enabled, created_at, updated_at, revision FROM offers ORDER BY sort, id`)
}

// StoredRecordRevision is the revision of the latest change of any record.
func (s *Store) StoredRecordRevision(ctx context.Context) (int64, error) {
	return s.revision(ctx, "offers")
}

// PutStoredRecord saves a record in the place of the one of a revision, 0 for none.
func (s *Store) PutStoredRecord(ctx context.Context, o catalog.StoredRecord, was int64, e access.Entry) error {
	return s.changeStoredRecord(ctx, e, func(ctx context.Context, tx *sql.Tx, revision int64) error {
		secrets, err := encodeTimes(o.SecretsAt)
		if err != nil {
			return err
		}
		if was == 0 {
			return execOr(ctx, tx, catalog.ErrChanged, "change stored record", `INSERT INTO offers (sort, id, fields, sealed, secrets_at, enabled, created_at, updated_at, revision)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (sort, id) DO NOTHING`,
				string(o.Sort), o.ID, string(o.Fields), blob(o.Sealed), secrets, flag(o.Enabled), millis(o.CreatedAt), millis(o.UpdatedAt), revision)
		}
		return execOr(ctx, tx, catalog.ErrChanged, "change stored record", `UPDATE offers SET fields = $4, sealed = $5, secrets_at = $6, enabled = $7, updated_at = $8, revision = $9
			WHERE sort = $1 AND id = $2 AND revision = $3`,
			string(o.Sort), o.ID, was, string(o.Fields), blob(o.Sealed), secrets, flag(o.Enabled), millis(o.UpdatedAt), revision)
	})
}

// ResealStoredRecord replaces the sealed secrets of a record, if nothing else did.
func (s *Store) ResealStoredRecord(ctx context.Context, o catalog.StoredRecord, next []byte) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "reseal stored record", `UPDATE offers SET sealed = $3 WHERE sort = $1 AND id = $2 AND sealed = $4`,
			string(o.Sort), o.ID, next, o.Sealed)
	})
}

// DeleteStoredRecord removes the record of a revision.
func (s *Store) DeleteStoredRecord(ctx context.Context, sort catalog.Sort, id string, was int64, e access.Entry) error {
	return s.changeStoredRecord(ctx, e, func(ctx context.Context, tx *sql.Tx, _ int64) error {
		return execOr(ctx, tx, catalog.ErrChanged, "change stored record", `DELETE FROM offers WHERE sort = $1 AND id = $2 AND revision = $3`, string(sort), id, was)
	})
}

// changeStoredRecord makes one change, which must be of one row, and writes it down.
func (s *Store) changeStoredRecord(ctx context.Context, e access.Entry, change func(context.Context, *sql.Tx, int64) error) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		// The counter's row is taken first: on PostgreSQL it is the lock.
		revision, err := nextRevision(ctx, tx, "offers")
		if err != nil {
			return err
		}
		return change(ctx, tx, revision)
	})
}

func encodeTimes(times map[string]time.Time) (string, error) {
	ms := make(map[string]int64, len(times))
	for name, at := range times {
		ms[name] = millis(at)
	}
	return encode(ms)
}

// times reads what encodeTimes wrote.
func times(to *map[string]time.Time) cell {
	return cellOf(func(text string) error {
		var ms map[string]int64
		if err := decode(text, &ms); err != nil || len(ms) == 0 {
			return err
		}
		*to = make(map[string]time.Time, len(ms))
		for name, at := range ms {
			(*to)[name] = fromMillis(at)
		}
		return nil
	})
}

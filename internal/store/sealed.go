package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"stele/internal/relay"
)

// sealedPage is how many sealed values are in memory at once; the longest are some megabytes.
const sealedPage = 20

// SealedColumn is where sealed values are kept. Whatever is sealed and kept in the
// database has a row in SealedColumns: only then is it sealed anew with a new key.
type SealedColumn struct {
	Table, Column string
	Key           []string // what names a row
	Purpose       string   // of the box
	Text          bool     // it is kept as base64
	For           string   // the part of the key that a value is sealed for which does not say so itself
	Passing       bool     // its rows end by themselves: one that does not open is no loss to tell of
}

// SealedColumns lists all of them.
func SealedColumns() []SealedColumn {
	return []SealedColumn{
		{Table: "offers", Column: "sealed", Key: []string{"sort", "id"}, Purpose: "provider secrets"},
		{Table: "webhook_secrets", Column: "secret", Key: []string{"workspace"}, Purpose: "webhook secrets", Text: true, For: "workspace"},
		{Table: "webhook_secrets", Column: "old", Key: []string{"workspace"}, Purpose: "webhook secrets", Text: true, For: "workspace"},
		{Table: "factors", Column: "sealed", Key: []string{"id"}, Purpose: "second factors"},
		{Table: "vault_turns", Column: "sealed", Key: []string{"key"}, Purpose: relay.VaultBox, Passing: true},
	}
}

type sealedRow struct {
	key  []any
	kept any // as it is in the database
	Sealed

	next []byte // what is to be kept instead
}

// Sealed is a sealed value.
type Sealed struct {
	Name  string // for people
	For   string // what it is sealed for, if it does not say so itself
	Value []byte
}

// EachSealed hands every sealed value of a column to do. Where do gives another one, that is kept instead, unless the row has changed
// meanwhile. nil leaves it as it is.
func (s *Store) EachSealed(ctx context.Context, c SealedColumn, do func(Sealed) ([]byte, error)) error {
	after := make([]any, len(c.Key))
	for i := range after {
		after[i] = ""
	}
	for {
		rows, err := s.sealedRows(ctx, c, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		after = rows[len(rows)-1].key
		changed, err := changeSealed(rows, do)
		if err := errors.Join(s.reseal(ctx, c, changed), err); err != nil {
			return err
		}
	}
}

// changeSealed gives the rows that do gave another value for, until it failed.
func changeSealed(rows []sealedRow, do func(Sealed) ([]byte, error)) (changed []sealedRow, err error) {
	for _, row := range rows {
		if row.next, err = do(row.Sealed); err != nil {
			return changed, err
		}
		if row.next != nil && !bytes.Equal(row.next, row.Value) {
			changed = append(changed, row)
		}
	}
	return changed, nil
}

// sealedRows are the next ones after a key.
func (s *Store) sealedRows(ctx context.Context, c SealedColumn, after []any) ([]sealedRow, error) {
	keys := strings.Join(c.Key, ", ")
	rows, err := s.read.QueryContext(ctx, fmt.Sprintf(`SELECT %s, %s FROM %s WHERE (%s) > %s AND length(%s) > 0 ORDER BY %s LIMIT %d`,
		keys, c.Column, c.Table, keys, placeholders(1, len(c.Key), true), c.Column, keys, sealedPage), after...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.Table, err)
	}
	defer rows.Close()
	var list []sealedRow
	for rows.Next() {
		keys := make([]string, len(c.Key))
		var raw []byte
		into := make([]any, 0, len(keys)+1)
		for i := range keys {
			into = append(into, &keys[i])
		}
		if err := rows.Scan(append(into, &raw)...); err != nil {
			return nil, fmt.Errorf("read %s: %w", c.Table, err)
		}
		row := sealedRow{kept: raw, Sealed: Sealed{Value: raw, Name: c.Table + "." + c.Column + " of " + strings.Join(keys, " ")}}
		for i, k := range keys {
			row.key = append(row.key, k)
			if c.Key[i] == c.For {
				row.For = k
			}
		}
		if c.Text {
			row.kept = string(raw)
			if row.Value, err = base64.StdEncoding.DecodeString(string(raw)); err != nil {
				return nil, fmt.Errorf("read %s: %w", row.Name, err)
			}
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// reseal keeps what is to be kept instead.
func (s *Store) reseal(ctx context.Context, c SealedColumn, rows []sealedRow) error {
	if len(rows) == 0 {
		return nil
	}
	where := make([]string, len(c.Key))
	for i, name := range c.Key {
		where[i] = fmt.Sprintf("%s = $%d", name, i+3)
	}
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, row := range rows {
			var value any = row.next
			if c.Text {
				value = base64.StdEncoding.EncodeToString(row.next)
			}
			err := exec(ctx, tx, "seal "+row.Name+" anew", `UPDATE `+c.Table+` SET `+c.Column+` = $1 WHERE `+c.Column+` = $2 AND `+strings.Join(where, " AND "),
				append([]any{value, row.kept}, row.key...)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// SwapSetting saves next if the setting still is what it was.
func (s *Store) SwapSetting(ctx context.Context, name, was, next string) (bool, error) {
	n, err := affect(ctx, s.write, "set "+name, `UPDATE settings SET value = $3 WHERE name = $1 AND value = $2`, name, was, next)
	return n == 1, err
}

// HoldMaster notes which master key a server has at hand.
func (s *Store) HoldMaster(ctx context.Context, node, fingerprint string) error {
	return exec(ctx, s.write, "note the master key at hand", `INSERT INTO nodes (id, seen_at, master) VALUES ($1, $3, $2)
		ON CONFLICT (id) DO UPDATE SET master = excluded.master`, node, fingerprint, millis(time.Now()))
}

// MasterHolders are the servers that were heard of since a time, with the master
// key that each noted.
func (s *Store) MasterHolders(ctx context.Context, since time.Time) (map[string]string, error) {
	return selectPairs[string, string](ctx, s.read, "read servers", `SELECT id, master FROM nodes WHERE seen_at >= $1`, millis(since))
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"stele/internal/access"
	"stele/internal/limit"
)

const grantColumns = `id, workspace, nano, used, lapsed, expires_at, closed, note, created_by, created_at`

// InsertGrant saves a grant and adds it to the balance, which is made where there is none.
func (s *Store) InsertGrant(ctx context.Context, g limit.Grant, balance limit.Limit, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		a, err := s.openAccount(ctx, tx, balance)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO credit_grants (`+grantColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			g.ID, g.Workspace, g.Nano, g.Used, g.Lapsed, millis(g.Expires), flag(g.Closed), clean(g.Note), g.By, millis(g.Created))
		if err == nil {
			err = s.insertLedger(ctx, tx, a.counter.ID, "grant", g.Nano, g.Note)
		}
		if err != nil {
			return fmt.Errorf("grant: %w", err)
		}
		a.limit.Amount += g.Nano
		return a.save(ctx, tx)
	})
}

// Grants lists those of a workspace, the newest first.
func (s *Store) Grants(ctx context.Context, workspace string) ([]limit.Grant, error) {
	return selectGrants(ctx, s.read, `WHERE workspace = $1 ORDER BY created_at DESC, id DESC`, workspace)
}

// ExpireCredits takes what is left of grants whose time is over out of their balances.
func (s *Store) ExpireCredits(ctx context.Context, now time.Time) error {
	workspaces, err := s.texts(ctx, `SELECT DISTINCT workspace FROM credit_grants WHERE closed = 0 AND expires_at > 0 AND expires_at <= $1`, millis(now))
	for _, workspace := range workspaces {
		if err := s.expireCredits(ctx, workspace, now); err != nil {
			return err
		}
	}
	return err
}

func (s *Store) expireCredits(ctx context.Context, workspace string, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		a, err := s.openAccount(ctx, tx, limit.CreditLimit(workspace, now))
		if err != nil {
			return err
		}
		for _, g := range limit.Close(a.grants, a.counter.Leased+a.counter.Held, now) {
			a.limit.Amount -= g.Lapsed
			note := "unspent of " + g.ID
			if err := s.insertLedger(ctx, tx, a.counter.ID, "expire", -g.Lapsed, note); err != nil {
				return fmt.Errorf("expire: %w", err)
			}
		}
		return a.save(ctx, tx)
	})
}

// account is the balance of a workspace, which nothing changes meanwhile.
type account struct {
	limit   limit.Limit
	counter limit.Balance
	grants  []limit.Grant // what was spent until now is allocated to them
}

// openAccount locks the balance of a workspace. One that is not there is made.
func (s *Store) openAccount(ctx context.Context, tx *sql.Tx, balance limit.Limit) (a account, err error) {
	if _, err := nextRevision(ctx, tx, "limits"); err != nil { // all who change limits come one after the other
		return a, err
	}
	var spec string
	switch err := tx.QueryRowContext(ctx, `SELECT spec FROM limits WHERE id = $1`, balance.ID).Scan(&spec); {
	case errors.Is(err, sql.ErrNoRows):
		a.limit = balance
		if err := saveLimit(ctx, tx, &a.limit); err != nil {
			return a, err
		}
	case err != nil:
		return a, fmt.Errorf("read balance: %w", err)
	default:
		if err := decode(spec, &a.limit); err != nil {
			return a, fmt.Errorf("read balance: %w", err)
		}
	}
	if a.counter, err = s.counter(ctx, tx, limit.Counter{Limit: a.limit.ID, Start: time.Unix(0, 0)}, a.limit.Amount); err != nil {
		return a, err
	}
	if a.grants, err = selectGrants(ctx, tx, `WHERE workspace = $1`, a.limit.Workspace); err != nil {
		return a, err
	}
	limit.Allocate(a.grants, a.counter.Settled+a.counter.Doubt)
	return a, nil
}

// save keeps the balance with what became of its grants.
func (a *account) save(ctx context.Context, tx *sql.Tx) error {
	for _, g := range a.grants {
		err := exec(ctx, tx, "save grant", `UPDATE credit_grants SET used = $2, lapsed = $3, closed = $4 WHERE id = $1`, g.ID, g.Used, g.Lapsed, flag(g.Closed))
		if err != nil {
			return err
		}
	}
	return saveLimit(ctx, tx, &a.limit)
}

func selectGrants(ctx context.Context, from querier, where string, args ...any) ([]limit.Grant, error) {
	return selectAll(ctx, from, "read grants", func(g *limit.Grant) []any {
		return []any{&g.ID, &g.Workspace, &g.Nano, &g.Used, &g.Lapsed, at(&g.Expires), &g.Closed, &g.Note, &g.By, at(&g.Created)}
	}, `SELECT `+grantColumns+` FROM credit_grants `+where, args...)
}

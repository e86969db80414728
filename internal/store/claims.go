package store

import (
	"context"
	"errors"
	"time"

	"stele/internal/access"
	"stele/internal/replay"
)

var _ replay.Store = (*Store)(nil)

const claimColumns = `workspace, route, key, fingerprint, id, owner, turn, since, status, type, body, header, pieces, ending`

// Claim takes up a scope: see replay.Store. One statement decides, so of callers at
// the same time one wins.
func (s *Store) Claim(ctx context.Context, c replay.Claim, old, silent time.Time) (replay.Claim, bool, error) {
	for {
		taken, ok, err := s.claim(ctx, `INSERT INTO claims (`+claimColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 0, '', $8, '', 0, 0)
			ON CONFLICT (workspace, route, key) DO UPDATE SET
				fingerprint = excluded.fingerprint,
				id = CASE WHEN claims.since < $9 THEN excluded.id ELSE claims.id END,
				owner = excluded.owner,
				turn = CASE WHEN claims.since < $9 THEN 1 ELSE claims.turn + 1 END,
				since = CASE WHEN claims.since < $9 THEN excluded.since ELSE claims.since END,
				status = 0, type = '', body = excluded.body, header = '', pieces = 0, ending = 0
			WHERE claims.since < $9 OR (claims.status = 0 AND claims.fingerprint = excluded.fingerprint AND (claims.owner = excluded.owner
				OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = claims.owner AND nodes.seen_at >= $10)))
			RETURNING `+claimColumns,
			c.Workspace, c.Route, c.Key, c.Fingerprint, c.ID, c.Owner, millis(c.Since), []byte{}, millis(old), millis(silent))
		if ok || err != nil {
			return taken, ok, err
		}
		standing, ok, err := s.claim(ctx, `SELECT `+claimColumns+` FROM claims
			WHERE workspace = $1 AND route = $2 AND key = $3`, c.Workspace, c.Route, c.Key)
		if ok || err != nil { // else it was freed just now
			return standing, false, err
		}
	}
}

// claim runs a statement that gives a claim or none.
func (s *Store) claim(ctx context.Context, statement string, args ...any) (c replay.Claim, ok bool, err error) {
	err = s.runOne(ctx, urgent, func(ctx context.Context, q querier) error {
		c, err = selectOne(ctx, q, claimCells, statement, args...)
		if ok = err == nil; errors.Is(err, access.ErrNotFound) {
			return nil
		}
		return wrap("claim", err)
	})
	return c, ok && err == nil, err
}

// FinishClaim saves the answer of a claim that is still the caller's.
func (s *Store) FinishClaim(ctx context.Context, c replay.Claim) error {
	return s.changeClaim(ctx, `UPDATE claims SET status = $6, type = $7, body = $8, header = $9, pieces = $10, ending = $11
		WHERE workspace = $1 AND route = $2 AND key = $3 AND owner = $4 AND turn = $5 AND status = 0`,
		c, c.Answer.Status, clean(c.Answer.Type), blob(c.Answer.Body), clean(c.Answer.Header), c.Answer.Pieces, int(c.Answer.Ending))
}

// FreeClaim removes a claim that is still the caller's.
func (s *Store) FreeClaim(ctx context.Context, c replay.Claim) error {
	return s.changeClaim(ctx, `DELETE FROM claims WHERE workspace = $1 AND route = $2 AND key = $3 AND owner = $4 AND turn = $5`, c)
}

// DeleteClaimsBefore forgets claims that were taken up before a time, and pieces of answers
// that were saved before it.
func (s *Store) DeleteClaimsBefore(ctx context.Context, before time.Time) (int64, error) {
	if _, err := s.deleteBites(ctx, `DELETE FROM claim_pieces WHERE (claim, place) IN
		(SELECT claim, place FROM claim_pieces WHERE at < $1 LIMIT 500)`, millis(before)); err != nil {
		return 0, err
	}
	return s.deleteBites(ctx, `DELETE FROM claims WHERE (workspace, route, key) IN
		(SELECT workspace, route, key FROM claims WHERE since < $1 LIMIT 500)`, millis(before))
}

func (s *Store) changeClaim(ctx context.Context, statement string, c replay.Claim, more ...any) error {
	args := append([]any{c.Workspace, c.Route, c.Key, c.Owner, c.Tries}, more...)
	var n int64
	err := s.runOne(ctx, urgent, func(ctx context.Context, q querier) (err error) {
		n, err = affect(ctx, q, "change claim", statement, args...)
		return err
	})
	if err == nil && n == 0 {
		err = replay.ErrLost
	}
	return err
}

// claimArgs are the values of claimColumns.
func claimArgs(c *replay.Claim) []any {
	return []any{
		c.Workspace, c.Route, c.Key, c.Fingerprint, c.ID, c.Owner, c.Tries, millis(c.Since), c.Answer.Status, clean(c.Answer.Type), blob(c.Answer.Body),
		clean(c.Answer.Header), c.Answer.Pieces, int(c.Answer.Ending),
	}
}

func claimCells(c *replay.Claim) []any {
	return []any{
		&c.Workspace, &c.Route, &c.Key, &c.Fingerprint, &c.ID, &c.Owner, &c.Tries, at(&c.Since), &c.Answer.Status, &c.Answer.Type, bytesIfAny(&c.Answer.Body),
		&c.Answer.Header, &c.Answer.Pieces, &c.Answer.Ending,
	}
}

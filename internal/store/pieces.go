package store

import (
	"context"

	"stele/internal/replay"
)

// AppendPiece saves a piece of the answer to a claim: see replay.Store. On PostgreSQL the
// claim's row is held meanwhile, so that a process which takes the claim up sees the piece.
func (s *Store) AppendPiece(ctx context.Context, c replay.Claim, p replay.Piece) error {
	kind, share := "BLOB", ""
	if s.engine == postgres {
		kind, share = "BYTEA", " FOR SHARE"
	}
	return s.changeClaim(ctx, `INSERT INTO claim_pieces (claim, place, at, body)
		SELECT id, CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS `+kind+`) FROM claims
		WHERE workspace = $1 AND route = $2 AND key = $3 AND owner = $4 AND turn = $5 AND status = 0`+share,
		c, p.Place, millis(p.At), blob(p.Body))
}

// Pieces lists the pieces of an answer from a place on.
func (s *Store) Pieces(ctx context.Context, claim string, from int64) ([]replay.Piece, error) {
	return selectAll(ctx, s.read, "read pieces", func(p *replay.Piece) []any { return []any{&p.Place, at(&p.At), &p.Body} },
		`SELECT place, at, body FROM claim_pieces WHERE claim = $1 AND place >= $2 ORDER BY place`, claim, from)
}

// ForgetAsked takes back that upstreams were asked: see replay.Store.
func (s *Store) ForgetAsked(ctx context.Context, owner string, claims []string) error {
	var c where
	c.add(`owner = ? AND status = 0`, owner)
	c.texts = append(c.texts, c.inList("id", claims))
	return exec(ctx, s.write, "forget what was not asked", `DELETE FROM claim_pieces WHERE place = 0 AND claim IN (SELECT id FROM claims WHERE `+c.text()+`)
		AND NOT EXISTS (SELECT 1 FROM claim_pieces later WHERE later.claim = claim_pieces.claim AND later.place > 0)`, c.args...)
}

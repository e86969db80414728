package store

import (
	"context"

	"stele/internal/generation"
	"stele/internal/share"
)

// countedTables are the tables whose rows a workspace can add to without end: what they hold of
// bytes, about, with their indexes. A test names what bounds every other table.
var countedTables = []struct{ table, bytes, where string }{
	{"generations", `1200 + octet_length(ordered) + octet_length(outputs) + octet_length(steps) + octet_length(ticket)`, `workspace = $1`},
	{"app_steps", `300 + octet_length(outputs) + octet_length(said)`, `run IN (SELECT id FROM generations WHERE workspace = $1 AND app <> '')`},
	{"deliveries", `700 + octet_length(body) + octet_length(answer)`, `workspace = $1`},
	{"claims", `500 + octet_length(body) + octet_length(header)`, `workspace = $1`},
	{"claim_pieces", `100 + octet_length(body)`, `claim IN (SELECT id FROM claims WHERE workspace = $1)`},
	{"app_drafts", `300 + octet_length(source)`, `workspace = $1`},
	{"app_versions", `300 + octet_length(source)`, `workspace = $1`},
	{"keys", `700 + octet_length(models) + octet_length(cidrs)`, `workspace = $1`},
	{"audit", `1200 + 2 * octet_length(detail) + octet_length(changes)`, `workspace = $1`},
	// Requests are too many to be looked at: their days know how many there were. Each has rows in other tables, too.
	{"usage_groups", `1000 * requests`, `workspace = $1 AND dim = 'status' AND day >= COALESCE((SELECT MIN(at) FROM requests WHERE workspace = $1), 0) - 86400000`},
	{"files", `500`, `workspace = $1`},
}

// Held adds up what a workspace holds on disk. What is ordered and not made yet counts as what
// such outputs take.
func (s *Store) Held(ctx context.Context, workspace string) (sums share.Sums, err error) {
	for _, q := range countedTables {
		n, err := s.sum(ctx, q.table, q.bytes, q.where, workspace)
		if err != nil {
			return sums, err
		}
		sums.Rows += n
	}
	if sums.Files, err = s.sum(ctx, "files", "size", `workspace = $1`, workspace); err != nil {
		return sums, err
	}
	unmade, err := selectPairs[string, int64](ctx, s.read, "count what is not made yet",
		`SELECT media_type, COUNT(*) FROM generations WHERE workspace = $1 AND stage <> 'ended' AND app = '' GROUP BY media_type`, workspace)
	for kind, n := range unmade {
		sums.Files += n * generation.Expected(kind)
	}
	if err != nil {
		return sums, err
	}
	others, err := selectValue[int](ctx, s.read, "count workspaces", `SELECT COUNT(*) FROM (SELECT id FROM workspaces WHERE id <> $1 LIMIT 1) AS others`, workspace)
	sums.Alone = others == 0
	return sums, err
}

func (s *Store) sum(ctx context.Context, table, bytes, where, workspace string) (int64, error) {
	return selectValue[int64](ctx, s.read, "add up "+table, `SELECT CAST(COALESCE(SUM(`+bytes+`), 0) AS BIGINT) FROM `+table+` WHERE `+where, workspace)
}

package store

import (
	"context"
	"fmt"

	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/share"
)

// countedTables are those whose rows a workspace can add to without end: what they hold of
// bytes, about, with their indexes, and what lies in files for them. A test names what bounds every
// other table.
var countedTables = []struct{ table, bytes, files, where string }{
	{"files", `500`, `size`, `workspace = $1`},
	{"generations", `1200 + octet_length(ordered) + octet_length(outputs) + octet_length(steps) + octet_length(ticket)`, bytesToCome(), `workspace = $1`},
	{"app_steps", `300 + octet_length(outputs) + octet_length(said)`, `0`, `run IN (SELECT id FROM generations WHERE workspace = $1 AND app <> '')`},
	{"deliveries", `700 + octet_length(body) + octet_length(answer)`, `0`, `workspace = $1`},
	{"claims", `500 + octet_length(body) + octet_length(header)`, `0`, `workspace = $1`},
	{"claim_pieces", `100 + octet_length(body)`, `0`, `claim IN (SELECT id FROM claims WHERE workspace = $1)`},
	{"app_drafts", `300 + octet_length(source)`, `0`, `workspace = $1`},
	{"app_versions", `300 + octet_length(source)`, `0`, `workspace = $1`},
	{"keys", `700 + octet_length(models) + octet_length(cidrs)`, `0`, `workspace = $1`},
	{"audit", `1200 + 2 * octet_length(detail) + octet_length(changes)`, `0`, `workspace = $1`},
	// Requests are too many to be looked at: their days know how many there were. Each has rows in other tables, too.
	{"usage_groups", `1000 * requests`, `0`, `workspace = $1 AND dim = 'status' AND day >= COALESCE((SELECT MIN(at) FROM requests WHERE workspace = $1), 0) - 86400000`},
}

// bytesToCome is what a generation that has not ended will hold of files. A run of an app has none: its steps have.
func bytesToCome() string {
	cases := `CASE WHEN stage = 'ended' OR app <> '' THEN 0`
	for _, kind := range media.Types() {
		cases += fmt.Sprintf(` WHEN media_type = '%s' THEN %d`, kind, generation.ExpectedBytes(kind))
	}
	return cases + ` ELSE 0 END`
}

// Held adds up what a workspace holds on disk. What is ordered and not made yet counts as what
// such outputs take.
func (s *Store) Held(ctx context.Context, workspace string) (sums share.Sums, err error) {
	for _, q := range countedTables {
		var rows, files int64
		err := s.read.QueryRowContext(ctx, `SELECT CAST(COALESCE(SUM(`+q.bytes+`), 0) AS BIGINT), CAST(COALESCE(SUM(`+q.files+`), 0) AS BIGINT)
			FROM `+q.table+` WHERE `+q.where, workspace).Scan(&rows, &files)
		if err != nil {
			return sums, fmt.Errorf("add up %s: %w", q.table, err)
		}
		sums.Rows, sums.Files = sums.Rows+rows, sums.Files+files
	}
	others, err := selectValue[int](ctx, s.read, "count workspaces", `SELECT COUNT(*) FROM (SELECT id FROM workspaces WHERE id <> $1 LIMIT 1) AS others`, workspace)
	sums.Alone = others == 0
	return sums, err
}

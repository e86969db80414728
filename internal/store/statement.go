package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"stele/internal/meter"
)

// mostLines is how many groups a section of a statement tells apart.
const mostLines = 1000

// Statement is what a workspace used between two midnights, read as of one moment.
func (s *Store) Statement(ctx context.Context, workspace string, from, until time.Time) (meter.Statement, error) {
	out := meter.Statement{Workspace: workspace, From: from, Until: until}
	err := s.asOfNow(ctx, func(tx *sql.Tx) error {
		dims, err := usedDims(ctx, tx, workspace)
		if err != nil {
			return err
		}
		for _, by := range dims {
			section, all, err := readSection(ctx, tx, &out, by)
			if err != nil {
				return err
			}
			if by == meter.ByStatus { // it comes first, and every request has one
				out.Total = all
				continue
			}
			listed := meter.Figures{}
			for _, g := range section.Groups {
				listed.Add(g.Figures)
			}
			if section.Rest = out.Total.Minus(listed); len(section.Groups) > 0 {
				out.Sections = append(out.Sections, section)
			}
		}
		return nil
	})
	if err != nil {
		return meter.Statement{}, fmt.Errorf("make a statement: %w", err)
	}
	return out, nil
}

// beginReading begins a transaction that reads the database as of one moment.
func (s *Store) beginReading(ctx context.Context) (*sql.Tx, error) {
	var options *sql.TxOptions // SQLite does so without being asked
	if s.engine == postgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return s.read.BeginTx(ctx, options)
}

// asOfNow reads several things as they are at one moment.
func (s *Store) asOfNow(ctx context.Context, read func(tx *sql.Tx) error) error {
	tx, err := s.beginReading(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing was changed
	return read(tx)
}

// usedDims are what a statement is told apart by, in its order: the status for the
// total, what every statement has, and the tags that the workspace has used.
func usedDims(ctx context.Context, tx *sql.Tx, workspace string) ([]meter.Split, error) {
	list := []meter.Split{meter.ByStatus, meter.ByModel, meter.ByKey, meter.ByPerson}
	used, err := selectAll(ctx, tx, "list tags", value[meter.Split], `WITH RECURSIVE dims (dim) AS (
			SELECT MIN(dim) FROM usage_groups WHERE workspace = $1
			UNION ALL
			SELECT (SELECT MIN(dim) FROM usage_groups WHERE workspace = $1 AND dim > dims.dim) FROM dims WHERE dims.dim IS NOT NULL
		) SELECT dim FROM dims WHERE dim IS NOT NULL`, workspace)
	slices.Sort(used)
	for _, dim := range used {
		if dim.Tag() != "" {
			list = append(list, dim)
		}
	}
	return list, err
}

// readSection reads what the groups of a split used, and all of them together.
func readSection(ctx context.Context, tx *sql.Tx, of *meter.Statement, by meter.Split) (section meter.Section, all meter.Figures, err error) {
	q := slice{failed: "failed"}
	section = meter.Section{By: by}
	section.Groups, err = selectAll(ctx, tx, "add up usage", groupCells,
		`SELECT name, `+q.figures()+` FROM usage_groups WHERE workspace = $1 AND dim = $2 AND day >= $3 AND day < $4
		GROUP BY name ORDER BY SUM(nano) DESC, SUM(requests) DESC, name LIMIT `+strconv.Itoa(mostLines),
		of.Workspace, string(by), millis(of.From), millis(of.Until))
	for _, g := range section.Groups {
		all.Add(g.Figures)
	}
	return section, all, err
}

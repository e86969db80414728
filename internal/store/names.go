package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"time"

	"stele/internal/fault"
	"stele/internal/meter"
)

const (
	mostNames     = 1000 // models of a workspace that one day tells apart
	mostNamedDays = 256  // days of workspaces whose names are in memory
)

// names knows by which models the days of workspaces are added up. A client of
// an open provider may make up as many as there are requests: those above a bound
// are added up together. It is safe for concurrent use.
type names struct {
	mu sync.Mutex // guards by
	by map[namedDay]map[string]bool
}

type namedDay struct {
	workspace string
	at        int64
}

// dayOf is the day that a record is counted in.
func dayOf(r *meter.Record) int64 { return millis(r.At.UTC().Truncate(24 * time.Hour)) }

// learn reads which names the days of some records have already, once in a process's
// life for each day.
func (n *names) learn(ctx context.Context, tx *sql.Tx, records []*meter.Record) error {
	for _, r := range records {
		d := namedDay{r.Workspace, dayOf(r)}
		n.mu.Lock()
		_, known := n.by[d]
		n.mu.Unlock()
		if known {
			continue
		}
		list, err := readNames(ctx, tx, d)
		if err != nil {
			return err
		}
		n.mu.Lock()
		if n.by == nil || len(n.by) >= mostNamedDays {
			n.by = make(map[namedDay]map[string]bool) // they are read again when they are needed
		}
		if n.by[d] == nil {
			n.by[d] = list
		}
		n.mu.Unlock()
	}
	return nil
}

func readNames(ctx context.Context, tx *sql.Tx, d namedDay) (map[string]bool, error) {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT name FROM usage_groups WHERE workspace = $1 AND dim = $2 AND day = $3 LIMIT `+strconv.Itoa(mostNames),
		d.workspace, string(meter.ByModel), d.at)
	if err != nil {
		return nil, fmt.Errorf("read the day's models: %w", err)
	}
	defer rows.Close()
	list := make(map[string]bool)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("read the day's models: %w", err)
		}
		list[name] = true
	}
	return list, rows.Err()
}

// of is the model and the target that a record is added up by.
func (n *names) of(r *meter.Record) (model, target string) {
	if r.Provider == "" && r.Code == string(fault.ModelNotFound) {
		return meter.UnknownModel, ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.by[namedDay{r.Workspace, dayOf(r)}]
	switch {
	case known[r.Model]:
	case len(known) >= mostNames || known == nil:
		return meter.OtherModels, meter.OtherModels
	default:
		known[r.Model] = true
	}
	return r.Model, r.Target
}

package store

import (
	"context"
	"strconv"
	"time"

	"stele/internal/meter"
	"stele/internal/uid"
)

const inOrder = ` ORDER BY at DESC, id DESC LIMIT `

// SearchRecords finds requests, the newest first, up to limit of them. Failures and end
// users have indexes. For all else request_hours tells in which hours to look, and the
// rows of those are read.
func (s *Store) SearchRecords(ctx context.Context, q meter.Search, limit int) (meter.Found, error) {
	if q.ID != "" {
		list, err := s.recordsOf(ctx, q.Workspace, q.ID, limit)
		return meter.Found{Records: list}, err
	}
	look := &search{store: s, q: q, limit: limit, budget: mostLooked}
	var err error
	if dims := dimsOf(q); len(dims) > 0 && q.User == "" { // an end user's are found by their index
		err = look.searchHours(ctx, dims)
	} else {
		err = look.searchPiece(ctx)
	}
	return look.found, err
}

// Record finds a request's record by its id.
func (s *Store) Record(ctx context.Context, workspace, id string) (meter.Record, error) {
	return selectOne(ctx, s.read, recordCells, `SELECT `+requestColumns+` FROM requests WHERE workspace = $1 AND id = $2`, workspace, id)
}

// How long after a request's id was made its record's is: the body is read between
// them, and clocks of processes differ.
const (
	longestAsking = 10 * time.Minute
	clocksDiffer  = time.Second
)

// recordsOf finds what has an id: a record, a generation, one of our own requests,
// or those of a client who may have sent the same id several times.
func (s *Store) recordsOf(ctx context.Context, workspace, id string, limit int) ([]meter.Record, error) {
	by := new(where)
	switch {
	case uid.Is("use", id):
		by.add("id = ?", id)
	case uid.Is("gen", id):
		by.add("id = ?", "use"+id[3:])
	case uid.Is("req", id): // the record's id was made right after it
		by.add("id >= ?", uid.At("use", uid.Time(id).Add(-clocksDiffer)))
		by.add("id < ?", uid.At("use", uid.Time(id).Add(longestAsking)))
		by.add("request || '' = ?", id)
	default:
		by.index = "requests_by_request"
		by.add(foreign)
		by.add("request = ?", id)
		by.add("workspace = ?", workspace)
		return s.readRecords(ctx, by, limit)
	}
	by.add("workspace || '' = ?", workspace) // by the primary key
	return s.query(ctx, `SELECT `+requestColumns+` FROM requests WHERE `+by.text()+` ORDER BY id LIMIT 1`, s.planFor(by.args)...)
}

// foreign are request ids that clients have made; see the index of them.
const foreign = `(length(request) <> 30 OR substr(request, 1, 4) NOT IN ('req_', 'gen_'))`

// RecordNames lists the models, keys or providers that the workspace's requests
// have, in their order. It reads one entry of an index for each.
func (s *Store) RecordNames(ctx context.Context, workspace string, by meter.Split, limit int) ([]string, error) {
	return selectAll(ctx, s.read, "list names of requests", value[string], `WITH RECURSIVE names (name) AS (
			SELECT MIN(name) FROM request_hours WHERE workspace = $1 AND dim = $2 AND name > ''
			UNION ALL
			SELECT (SELECT MIN(name) FROM request_hours WHERE workspace = $1 AND dim = $2 AND name > names.name) FROM names WHERE names.name IS NOT NULL
		) SELECT name FROM names WHERE name IS NOT NULL AND name <> $3 LIMIT `+strconv.Itoa(limit), workspace, string(by), meter.OtherModels)
}

func (s *Store) readRecords(ctx context.Context, by *where, limit int) ([]meter.Record, error) {
	return s.query(ctx, `SELECT `+requestColumns+s.fromRequests(by)+inOrder+strconv.Itoa(limit), s.planFor(by.args)...)
}

func (s *Store) query(ctx context.Context, text string, args ...any) ([]meter.Record, error) {
	return selectAll(ctx, s.read, "read requests", recordCells, text, args...)
}

// fromRequests reads the requests by the index that fits. SQLite has no statistics
// to see that by itself: it takes the one that is in order already, and reads all.
func (s *Store) fromRequests(by *where) string {
	if s.engine == sqlite && by.index != "" {
		return ` FROM requests INDEXED BY ` + by.index + ` WHERE ` + by.text()
	}
	return ` FROM requests WHERE ` + by.text()
}

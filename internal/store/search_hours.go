package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/meter"
)

const (
	mostLooked = 5_000 // rows that one question looks at: it would else read all for what is rare
	mostHours  = 200   // pieces that it does so in
)

// search is a question on its way.
type search struct {
	store  *Store
	q      meter.Search
	limit  int
	budget int // rows that may still be looked at
	found  meter.Found
}

// searchPiece looks through a part of the requests: those that an index answers, and of
// them those that fit the rest. It sets found.Next where the page is full or the
// budget is spent.
func (l *search) searchPiece(ctx context.Context) error {
	by, rest := splitSearch(l.q)
	by.add("workspace = ?", l.q.Workspace)
	if !l.q.From.IsZero() {
		by.add("at >= ?", millis(l.q.From))
	}
	if !l.q.Until.IsZero() {
		by.add("at < ?", millis(l.q.Until))
	}
	if !l.q.After.IsZero() {
		by.addCursor("<", l.q.After)
	}
	var last access.Cursor
	if len(rest) > 0 {
		n, err := l.count(ctx, by)
		if err != nil {
			return err
		}
		if n >= l.budget {
			if last, err = l.until(ctx, by); err != nil {
				return err
			}
			by.addCursor(">=", last)
		}
		l.budget -= n
		for _, add := range rest {
			add(by)
		}
	}
	list, err := l.store.readRecords(ctx, by, l.limit-len(l.found.Records)+1)
	if err != nil {
		return err
	}
	l.found.Records = append(l.found.Records, list...)
	l.found.Next = last
	if len(l.found.Records) > l.limit {
		l.found.Records = l.found.Records[:l.limit]
		l.found.Next = l.found.Records[l.limit-1].Cursor()
	}
	return nil
}

// count is how many rows an index has, up to the budget.
func (l *search) count(ctx context.Context, by *where) (int, error) {
	return selectValue[int](ctx, l.store.read, "count requests",
		`SELECT COUNT(*) FROM (SELECT 1`+l.store.fromRequests(by)+` LIMIT `+strconv.Itoa(l.budget)+`) counted`, l.store.planFor(by.args)...)
}

// until is the last of the rows that the budget allows.
func (l *search) until(ctx context.Context, by *where) (access.Cursor, error) {
	p, err := selectOne(ctx, l.store.read, func(p *access.Cursor) []any { return []any{at(&p.At), &p.ID} },
		`SELECT at, id`+l.store.fromRequests(by)+inOrder+`1 OFFSET `+strconv.Itoa(l.budget-1), l.store.planFor(by.args)...)
	if errors.Is(err, access.ErrNotFound) { // some were forgotten meanwhile
		return p, nil
	}
	return p, wrap("look through requests", err)
}

// searchHours looks through the hours that have all that is asked for, the newest first.
func (l *search) searchHours(ctx context.Context, dims [][2]string) error {
	from, until := l.q.From, l.q.Until
	if !l.q.After.IsZero() && (until.IsZero() || l.q.After.At.Before(until)) {
		until = l.q.After.At.Add(time.Millisecond)
	}
	list, err := l.candidates(ctx, dims, until)
	if err != nil {
		return err
	}
	for i, hour := range list {
		at := fromMillis(hour)
		end := at.Add(time.Hour)
		if !end.After(from) {
			return nil
		}
		part := *l
		if part.q.From = at; from.After(at) {
			part.q.From = from
		}
		if part.q.Until = end; !l.q.Until.IsZero() && l.q.Until.Before(end) {
			part.q.Until = l.q.Until
		}
		if err := part.searchPiece(ctx); err != nil {
			return err
		}
		l.found, l.budget = part.found, part.budget
		if !l.found.Next.IsZero() {
			return nil
		}
		if i == mostHours-1 {
			l.found.Next = access.Cursor{At: at, ID: " "} // before all of that moment
		}
	}
	return nil
}

// candidates are the beginnings of the hours that have all of the dims.
func (l *search) candidates(ctx context.Context, dims [][2]string, until time.Time) ([]int64, error) {
	by := new(where)
	by.add("workspace = ?", l.q.Workspace)
	by.add("dim = ?", dims[0][0])
	by.add(by.inList("name", namesOf(dims[0])))
	for _, d := range dims[1:] {
		by.add(`EXISTS (SELECT 1 FROM request_hours o WHERE o.workspace = $1 AND o.dim = ` + by.arg(d[0]) +
			` AND ` + by.inList("o.name", namesOf(d)) + ` AND o.hour = request_hours.hour)`)
	}
	if !until.IsZero() {
		by.add("hour < ?", millis(until))
	}
	return selectAll(ctx, l.store.read, "find hours", value[int64], `SELECT DISTINCT hour FROM request_hours WHERE `+by.text()+
		` ORDER BY hour DESC LIMIT `+strconv.Itoa(mostHours), l.store.planFor(by.args)...)
}

// namesOf are the names by which request_hours has what a search asks for. A model, or
// the value of a tag, may be one that its day did not tell apart.
func namesOf(dim [2]string) []string {
	switch {
	case dim[0] == "model" && dim[1] != "" && dim[1] != meter.UnknownModel:
		return []string{dim[1], meter.OtherModels, meter.UnknownModel}
	case meter.Split(dim[0]).Tag() != "":
		return []string{dim[1], meter.OtherModels}
	}
	return dim[1:]
}

// addCursor adds where a request stands to another.
func (c *where) addCursor(how string, p access.Cursor) {
	c.add("(at, id) "+how+" (?, ?)", millis(p.At), p.ID)
}

// splitSearch takes a search apart into what an index answers and the rest. End users and what failed
// have indexes of their own.
func splitSearch(q meter.Search) (by *where, rest []func(*where)) {
	by = &where{index: "requests_by_workspace"}
	switch {
	case q.User != "":
		by.index = "requests_by_user"
		by.add("end_user <> ''")
		by.add("end_user = ?", q.User)
		return by, looks(q)
	case q.Code != "":
		by.index = "requests_by_code"
		by.add("code <> ''")
		by.is("code", q.Code)
	case q.Class == 5:
		by.index = "requests_failed"
		by.add("status >= 500")
	case q.Class == 4:
		by.index = "requests_refused"
		by.add("status >= 400 AND status < 500")
	}
	if q.Code == "" && q.Class >= 4 {
		q.Class = 0
	}
	return by, looks(q)
}

// looks are the conditions of a search that no index answers.
func looks(q meter.Search) []func(*where) {
	var list []func(*where)
	add := func(wanted bool, look func(*where)) {
		if wanted {
			list = append(list, look)
		}
	}
	add(q.User != "" && q.Code != "", func(c *where) { c.is("code", q.Code) })
	add(q.Tag != "", func(c *where) { c.addTag(q.Tag) })
	add(q.Key != "", func(c *where) { c.is("key", q.Key) })
	add(q.Model != "", func(c *where) {
		if q.Model == meter.UnknownModel {
			c.add("provider = '' AND code = '" + string(fault.ModelNotFound) + "'")
			return
		}
		c.is("model", q.Model)
	})
	add(q.Provider != "", func(c *where) { c.is("provider", q.Provider) })
	add(q.Dialect != "", func(c *where) { c.is("dialect", q.Dialect) })
	add(q.Stream != "", func(c *where) { c.add("stream = " + oneOrZero(q.Stream == "yes")) })
	add(q.Counted != "", func(c *where) { c.add("estimated = " + oneOrZero(q.Counted == "estimated")) })
	add(q.Class == 2, func(c *where) { c.add("status + 0 < 400") })
	add(q.Class == 4, func(c *where) { c.add("status + 0 >= 400 AND status + 0 < 500") })
	add(q.Class == 5, func(c *where) { c.add("status + 0 >= 500") })
	return list
}

// addTag adds that a request has a tag. What is compared is written so that both engines
// understand it and no character of a value means more than itself.
func (c *where) addTag(tag string) {
	c.add("replace(',' || tags || ',', ?, '') <> ',' || tags || ','", ","+tag+",")
}

// dimsOf is what of a search request_hours knows.
func dimsOf(q meter.Search) [][2]string {
	var dims [][2]string
	add := func(dim, value string) {
		if value == meter.NoKey {
			dims = append(dims, [2]string{dim, ""})
		} else if value != "" {
			dims = append(dims, [2]string{dim, value})
		}
	}
	if name, value, ok := strings.Cut(q.Tag, "="); ok {
		dims = append(dims, [2]string{string(meter.ByTag(name)), value})
	}
	add("key", q.Key)
	add("model", q.Model)
	add("provider", q.Provider)
	add("dialect", q.Dialect)
	if q.Stream != "" {
		add("stream", oneOrZero(q.Stream == "yes"))
	}
	return dims
}

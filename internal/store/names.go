package store

import (
	"context"
	"database/sql"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"stele/internal/fault"
	"stele/internal/meter"
)

const (
	mostNames     = 1000 // models, end users or values of a tag that one day of a workspace tells apart
	mostNamedDays = 256  // days of workspaces whose names are in memory
)

// names knows by which models, end users and tags the days of workspaces are added
// up. Clients may make up as many as there are requests: those above a bound are added
// up together. It is safe for concurrent use.
type names struct {
	mu sync.Mutex // guards by
	by map[namedDay]map[string]bool
}

type namedDay struct {
	workspace string
	dim       meter.Split
	at        int64
}

// dayOf is the day that a record is counted in.
func dayOf(r *meter.Record) int64 { return millis(r.At.UTC().Truncate(24 * time.Hour)) }

// learn reads which names the days of some records have already, once in a process's
// life for each day.
func (n *names) learn(ctx context.Context, tx *sql.Tx, records []*meter.Record) error {
	var last namedDay
	for _, r := range records {
		at := dayOf(r)
		if d := (namedDay{r.Workspace, meter.ByModel, at}); d != last {
			if err := n.learnDay(ctx, tx, d); err != nil {
				return err
			}
			last = d
		}
		for dim := range eachAttribution(r) {
			if err := n.learnDay(ctx, tx, namedDay{r.Workspace, dim, at}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *names) learnDay(ctx context.Context, tx *sql.Tx, d namedDay) error {
	n.mu.Lock()
	_, known := n.by[d]
	n.mu.Unlock()
	if known {
		return nil
	}
	list, err := readNames(ctx, tx, d)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.by == nil || len(n.by) >= mostNamedDays {
		n.by = make(map[namedDay]map[string]bool) // they are read again when they are needed
	}
	if n.by[d] == nil {
		n.by[d] = list
	}
	return nil
}

// eachAttribution yields whom a request is charged to and for: a person, its end user, and the
// value of each of its tags.
func eachAttribution(r *meter.Record) iter.Seq2[meter.Split, string] {
	return func(yield func(meter.Split, string) bool) {
		if r.Person != "" && !yield(meter.ByPerson, r.Person) || r.User != "" && !yield(meter.ByUser, r.User) {
			return
		}
		eachTag(r)(yield)
	}
}

// eachTag yields the value of each tag of a request.
func eachTag(r *meter.Record) iter.Seq2[meter.Split, string] {
	return func(yield func(meter.Split, string) bool) {
		if r.Tags == "" {
			return
		}
		for pair := range strings.SplitSeq(r.Tags, ",") {
			if name, value, ok := strings.Cut(pair, "="); ok && !yield(meter.ByTag(name), value) {
				return
			}
		}
	}
}

func readNames(ctx context.Context, tx *sql.Tx, d namedDay) (map[string]bool, error) {
	list := make(map[string]bool)
	err := selectEach(ctx, tx, "read the day's names", value[string], func(name string) { list[name] = true },
		`SELECT DISTINCT name FROM usage_groups WHERE workspace = $1 AND dim = $2 AND day = $3 LIMIT `+strconv.Itoa(mostNames),
		d.workspace, string(d.dim), d.at)
	return list, err
}

// of is the model and the target that a record is added up by.
func (n *names) of(r *meter.Record) (model, target string) {
	if r.Provider == "" && r.Code == string(fault.ModelNotFound) {
		return meter.UnknownModel, ""
	}
	if model = n.nameApart(namedDay{r.Workspace, meter.ByModel, dayOf(r)}, r.Model); model != r.Model {
		return model, model
	}
	return r.Model, r.Target
}

// nameApart gives a name if the day tells it apart, else that of all others.
func (n *names) nameApart(d namedDay, name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.by[d]
	switch {
	case known[name]:
	case len(known) >= mostNames || known == nil:
		return meter.OtherModels
	default:
		known[name] = true
	}
	return name
}

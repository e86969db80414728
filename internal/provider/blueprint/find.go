package blueprint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stele/internal/media"
)

// skew is how far a provider's clock may be behind ours.
const skew = 2 * time.Minute

// mostPages bounds how far back a list is read.
const mostPages = 50

// Finder is a Maker that can look up what its provider may have accepted.
type Finder struct{ *Maker }

// finds reports whether lost work of an operation can be looked up: it has a name
// that was chosen here, or carries a mark.
func (m *Maker) finds(op *Operation) bool {
	if op.Find == nil {
		return false
	}
	return op.Submit.Chosen != nil || m.mark(op, "", "") != ""
}

// SettledAfter is how long after an order the providers' records are complete.
func (f *Finder) SettledAfter() time.Duration {
	longest := time.Duration(0)
	for _, op := range f.ops {
		longest = max(longest, op.Find.Settled)
	}
	return longest
}

// Find looks for the work of a key. It says that there is none only where the
// record leaves no doubt.
func (f *Finder) Find(ctx context.Context, key string, since time.Time) (media.Ticket, bool, error) {
	for _, op := range f.ops {
		find := f.byMark
		if op.Submit.Chosen != nil {
			find = f.byName
		}
		if t, err := find(ctx, op, key, since); err != nil || t != nil {
			if err != nil {
				return nil, false, err
			}
			return t.seal(), true, nil
		}
	}
	return nil, false, nil
}

// byName looks at the work whose name was chosen here.
func (f *Finder) byName(ctx context.Context, op *Operation, key string, since time.Time) (*ticket, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	t := &ticket{Operation: op.Name, ID: workName(key), At: since}
	got, _, err := f.look(ctx, op, t)
	if failure, ok := errors.AsType[*media.Failure](err); ok && failure.Class == media.Gone {
		return nil, nil
	}
	if err != nil || got.state == gone {
		return nil, err
	}
	return t, nil
}

// byMark reads a list, the newest first, back to the time of the order. An entry
// that does not show its mark may be the one that is sought: then it cannot be said.
func (f *Finder) byMark(ctx context.Context, op *Operation, key string, since time.Time) (*ticket, error) {
	marks := make(map[string]string)
	for _, kind := range media.Types() {
		marks[f.mark(op, kind, key)] = kind
	}
	where, unsure := op.Find.Get, false
	for range mostPages {
		a, err := f.caller.look(ctx, op, where)
		if err != nil {
			return nil, f.caller.lostFailure(err)
		}
		if !a.fine() || a.doc == nil {
			return nil, f.caller.refusalFailure(op, a, false)
		}
		old := false
		for _, item := range op.Find.Items.all(a.doc) {
			at, err := time.Parse(time.RFC3339Nano, op.Find.Time.text(item))
			if err != nil {
				return nil, fmt.Errorf("the list's times cannot be read: %w", err)
			}
			if old = at.Before(since.Add(-skew)); old {
				break
			}
			if kind, ok := marks[op.Find.Mark.text(item)]; ok {
				return &ticket{Operation: op.Name, ID: op.Find.ID.text(item), Kind: kind, At: at}, nil
			}
			unsure = unsure || !op.Find.Mark.isShown(item)
		}
		next := op.Find.Next.text(a.doc)
		if old || next == "" {
			if unsure {
				return nil, errors.New("the provider's list does not show which work is whose")
			}
			return nil, nil
		}
		where = next
	}
	return nil, errors.New("the provider's list is too long to be read")
}

// isShown reports whether a document has the path's value, be it null.
func (p path) isShown(doc any) bool {
	if len(p) == 0 {
		return true
	}
	object, ok := doc.(map[string]any)
	if !ok || p[0].kind != field {
		return false
	}
	inner, ok := object[p[0].key]
	return ok && (len(p) == 1 || p[1:].isShown(inner))
}

package limit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/price"
	"stele/internal/uid"
)

// Grant is money that was paid in advance for a workspace's calls.
type Grant struct {
	ID        string
	Workspace string
	Nano      int64
	Used      int64     // spent of it, as of the latest grant or end of one
	Lapsed    int64     // was left of it when it expired
	Expires   time.Time // zero: never
	Closed    bool      // it has expired
	Note      string
	By        string // the person's id
	Created   time.Time
}

// CreditLimit is the balance of a workspace that has paid in advance: the sum of its
// grants, less what of them expired unspent. The store fills in its amount when it saves it.
func CreditLimit(workspace string, now time.Time) Limit {
	return Limit{
		ID: "lim_credits_" + workspace, Workspace: workspace, Name: "credits", Measure: Dollars, Window: Total,
		Marks: DefaultMarks(), Credits: true, Locked: true, Created: now.UTC().Truncate(time.Millisecond),
	}
}

// Allocate says of which grants money was spent: what was spent since the last time
// comes from those that expire first.
func Allocate(list []Grant, spent int64) {
	slices.SortStableFunc(list, func(a, b Grant) int {
		switch {
		case a.Expires.IsZero() != b.Expires.IsZero():
			return cmp.Compare(b.Expires.Unix(), a.Expires.Unix()) // never is after all
		case !a.Expires.Equal(b.Expires):
			return a.Expires.Compare(b.Expires)
		}
		return a.Created.Compare(b.Created)
	})
	for i := range list {
		spent -= list[i].Used
	}
	for i := range list {
		g := &list[i]
		if n := min(spent, g.Nano-g.Lapsed-g.Used); n > 0 && !g.Closed {
			g.Used += n
			spent -= n
		}
	}
}

// Close ends the grants whose time is over and returns them. What is under way may
// still be paid with them; the rest has lapsed.
func Close(list []Grant, underWay int64, now time.Time) (closed []Grant) {
	for i := range list {
		g := &list[i]
		if g.Closed || g.Expires.IsZero() || now.Before(g.Expires) {
			continue
		}
		kept := min(underWay, g.Nano-g.Used)
		underWay -= kept
		g.Used += kept
		g.Lapsed, g.Closed = g.Nano-g.Used, true
		closed = append(closed, *g)
	}
	return closed
}

const (
	longestNote = 200
	mostGrant   = 1 << 55 // nano-dollars
)

// Grant adds to what a workspace has paid in advance. The first grant makes the balance:
// from then on its calls are bound by it.
func (m *Manager) Grant(ctx context.Context, who access.Principal, g Grant) (Grant, error) {
	wrong := func(field, sentence string) (Grant, error) {
		return g, fault.New(fault.InvalidParameter, "%s", sentence).Field(field)
	}
	switch now := m.Now(); {
	case !who.Admin:
		return g, fault.New(fault.PermissionDenied, "Only an administrator grants credits.")
	case g.Workspace == "":
		return wrong("workspace", "Credits belong to a workspace.")
	case g.Nano <= 0 || g.Nano > mostGrant:
		return wrong("amount", "A grant is more than nothing, and less than $36 million.")
	case !g.Expires.IsZero() && !g.Expires.After(now):
		return wrong("expires", "A grant expires in the future, or never.")
	case label.Clean(g.Note, longestNote) != g.Note:
		return wrong("note", "A note is a line of up to 200 characters.")
	}
	g.ID, g.By, g.Created = uid.New("grt"), who.User, m.Now().UTC().Truncate(time.Millisecond)
	l := CreditLimit(g.Workspace, g.Created)
	e := m.entry(who, "credits.grant", &l, []access.Change{{Field: "amount", New: price.Amount(g.Nano).Decimal()}})
	e.Target, e.Detail = g.ID, g.Note
	return g, m.Shelf.InsertGrant(ctx, g, l, e)
}

// Grants are those of a workspace, the newest first.
func (m *Manager) Grants(ctx context.Context, who access.Principal, workspace string) ([]Grant, error) {
	if !who.MaySee(workspace) {
		return nil, access.ErrNotFound
	}
	return m.Shelf.Grants(ctx, workspace)
}

package limit

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/uid"
)

// Shelf is where limits are kept, for those who set them.
type Shelf interface {
	Limits(ctx context.Context) ([]Limit, error)
	SaveLimit(ctx context.Context, l Limit, e access.Entry) error
	DeleteLimit(ctx context.Context, id string, e access.Entry) error
	Balances(ctx context.Context, id string, from time.Time, most int) ([]Standing, error)
	BalanceOf(ctx context.Context, c Counter) (Standing, bool, error)
	PastBalances(ctx context.Context, id string, before time.Time, most int) ([]Standing, error)

	// PassedSince lists thresholds that were passed since a time and that a person has not
	// dismissed, the newest first; of the installation where the workspace is "".
	PassedSince(ctx context.Context, workspace, user string, since time.Time, most int) ([]Passed, error)
	DismissPassed(ctx context.Context, workspace, user string, until time.Time) error

	// InsertGrant saves a grant and adds it to the balance, which is made where there is none.
	InsertGrant(ctx context.Context, g Grant, balance Limit, e access.Entry) error
	// Grants lists those of a workspace, the newest first.
	Grants(ctx context.Context, workspace string) ([]Grant, error)
}

// Manager has people set limits. Administrators set any; an owner sets those of the
// workspace that no administrator has set.
type Manager struct {
	Shelf Shelf
	Now   func() time.Time
}

// List is the limits that a workspace's calls fall under, or all of them where that is "".
func (m *Manager) List(ctx context.Context, who access.Principal, workspace string) ([]Limit, error) {
	if !who.MaySee(workspace) {
		return nil, access.ErrNotFound
	}
	all, err := m.Shelf.Limits(ctx)
	if err != nil || workspace == "" {
		return all, err
	}
	return slices.DeleteFunc(all, func(l Limit) bool { return l.Workspace != workspace && (l.Workspace != "" || !who.Admin) }), nil
}

// Find is a limit, if who may see it.
func (m *Manager) Find(ctx context.Context, who access.Principal, id string) (Limit, error) {
	all, err := m.Shelf.Limits(ctx)
	if err != nil {
		return Limit{}, err
	}
	i := slices.IndexFunc(all, func(l Limit) bool { return l.ID == id })
	if i < 0 || !who.MaySee(all[i].Workspace) {
		return Limit{}, fault.New(fault.NotFound, "There is no limit %q.", id)
	}
	return all[i], nil
}

// Standings are how a limit stands now, by subject; those that took most first.
func (m *Manager) Standings(ctx context.Context, who access.Principal, id string, most int) (Limit, []Standing, error) {
	return m.StandingsAt(ctx, who, id, m.Now(), most)
}

// Create makes a limit.
func (m *Manager) Create(ctx context.Context, who access.Principal, l Limit) (Limit, error) {
	l.ID, l.Created, l.Locked = uid.New("lim"), m.Now().UTC().Truncate(time.Millisecond), who.Admin
	if err := m.check(who, &l); err != nil {
		return l, err
	}
	if err := m.checkRoom(ctx, who, l.Workspace); err != nil {
		return l, err
	}
	return l, m.Shelf.SaveLimit(ctx, l, m.entry(who, "limit.create", &l, access.ChangesOf((&Limit{}).values(), l.values())))
}

// mostLimits is how many an owner may set: every call falls under each of them, and every
// server reads all limits where one changes.
const mostLimits = 200

func (m *Manager) checkRoom(ctx context.Context, who access.Principal, workspace string) error {
	if who.Admin {
		return nil
	}
	all, err := m.Shelf.Limits(ctx)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(all, func(l Limit) bool { return l.Workspace != workspace })
	if len(own) >= mostLimits {
		return fault.New(fault.InvalidParameter, "A workspace has at most %d limits.", mostLimits).Field("name")
	}
	return nil
}

// Change replaces what may change of a limit: what it counts, and of whom, stays, so
// that what was counted stays true.
func (m *Manager) Change(ctx context.Context, who access.Principal, next Limit) (Limit, error) {
	was, err := m.Find(ctx, who, next.ID)
	if err != nil {
		return next, err
	}
	l := was
	l.Name, l.Amount, l.Soft, l.Refuse, l.Unpriced, l.Marks = next.Name, next.Amount, next.Soft, next.Refuse, next.Unpriced, next.Marks
	if l.Credits {
		l.Amount = was.Amount // grants change it
	}
	if err := m.check(who, &l); err != nil {
		return l, err
	}
	list := access.ChangesOf(was.values(), l.values())
	if len(list) == 0 {
		return l, nil
	}
	return l, m.Shelf.SaveLimit(ctx, l, m.entry(who, "limit.update", &l, list))
}

// Delete takes a limit away.
func (m *Manager) Delete(ctx context.Context, who access.Principal, id string) error {
	l, err := m.Find(ctx, who, id)
	if err == nil {
		err = m.check(who, &l)
	}
	if err != nil {
		return err
	}
	return m.Shelf.DeleteLimit(ctx, id, m.entry(who, "limit.delete", &l, access.ChangesOf(l.values(), (&Limit{}).values())))
}

// check refuses what cannot be meant, and who may not say it.
func (m *Manager) check(who access.Principal, l *Limit) error {
	if !who.Admin && (l.Workspace == "" || l.Locked || !who.Owns(l.Workspace)) {
		return fault.New(fault.PermissionDenied, "Only an administrator can change this limit.")
	}
	return l.Check()
}

func (m *Manager) entry(who access.Principal, action string, l *Limit, list []access.Change) access.Entry {
	workspace := cmp.Or(l.Workspace, access.DefaultWorkspace)
	return access.Entry{
		ID: uid.New("aud"), At: m.Now(), Actor: who.User, Workspace: workspace, Action: action, Target: l.ID, Detail: l.Name, Changes: list,
	}
}

// values are the limit's fields as the audit log tells of them.
func (l *Limit) values() [][2]string {
	var marks []string
	for _, m := range l.Marks {
		marks = append(marks, strconv.Itoa(m))
	}
	var what string
	if l.Measure != "" {
		what = l.Text()
	}
	return [][2]string{
		{"limit", what}, {"name", l.Name}, {"soft", strconv.FormatBool(l.Soft)}, {"refuse", strconv.FormatBool(l.Refuse)},
		{"unpriced", strconv.FormatBool(l.Unpriced)}, {"thresholds", strings.Join(marks, " ")},
	}
}

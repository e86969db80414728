package limit

import (
	"context"
	"time"

	"stele/internal/access"
)

// Overview is how the limits of a workspace stand, each for the subject that took most.
// Of one of which nothing was taken the balance is empty.
func (m *Manager) Overview(ctx context.Context, who access.Principal, workspace string, most int) ([]Standing, error) {
	limits, err := m.List(ctx, who, workspace)
	if err != nil {
		return nil, err
	}
	list := make([]Standing, 0, min(len(limits), most))
	for _, l := range limits[:min(len(limits), most)] {
		found, err := m.Shelf.Balances(ctx, l.ID, m.Now(), 1)
		if err != nil {
			return nil, err
		}
		st := m.untouchedStanding(&l, "")
		if len(found) > 0 {
			st = found[0]
			st.Limit = &l
		}
		list = append(list, st)
	}
	return list, nil
}

// OfKey is how the limits stand that are about one key: those that name it, and those
// that give each key a counter of its own.
func (m *Manager) OfKey(ctx context.Context, who access.Principal, workspace, key string) ([]Standing, error) {
	limits, err := m.List(ctx, who, workspace)
	if err != nil {
		return nil, err
	}
	var list []Standing
	for _, l := range limits {
		subject, ok := l.ofKey(key)
		if !ok {
			continue
		}
		st := m.untouchedStanding(&l, subject)
		found, any, err := m.Shelf.BalanceOf(ctx, Counter{Limit: l.ID, Subject: subject, Start: st.Start})
		if err != nil {
			return nil, err
		}
		if any {
			found.Limit = &l
			st = found
		}
		list = append(list, st)
	}
	return list, nil
}

// ofKey is the subject of a limit's counter that is about one key alone.
func (l *Limit) ofKey(key string) (subject string, ok bool) {
	for _, s := range l.Subject {
		switch {
		case s.By == ByKey && s.Value == Each:
			subject, ok = key, true
		case s.By == ByKey && s.Value == key:
			ok = true
		case s.Value == Each || s.By == ByKey:
			return "", false
		}
	}
	return subject, ok
}

// StandingsAt is Standings of the window that a time falls into.
func (m *Manager) StandingsAt(ctx context.Context, who access.Principal, id string, at time.Time, most int) (Limit, []Standing, error) {
	l, err := m.Find(ctx, who, id)
	if err != nil {
		return l, nil, err
	}
	list, err := m.Shelf.Balances(ctx, id, at, most)
	for i := range list {
		list[i].Limit = &l
	}
	return l, list, err
}

// Past is the windows of a limit that have ended, the latest first, each with the
// subject that took most in it.
func (m *Manager) Past(ctx context.Context, l *Limit, most int) ([]Standing, error) {
	list, err := m.Shelf.PastBalances(ctx, l.ID, m.Now(), most)
	for i := range list {
		list[i].Limit = l
	}
	return list, err
}

// untouchedStanding is how a limit stands of which nothing was taken yet.
func (m *Manager) untouchedStanding(l *Limit, subject string) Standing {
	in, err := zone(l.Zone)
	if err != nil {
		in = time.UTC // as those who count do
	}
	at := l.spanAt(m.Now(), in)
	return Standing{Limit: l, Subject: subject, Left: l.Amount, Balance: Balance{Amount: l.Amount}, Start: at.start, End: at.end}
}

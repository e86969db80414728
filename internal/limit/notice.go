package limit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stele/internal/access"
)

// noticeLife is how long a threshold that was passed is news.
const noticeLife = 7 * 24 * time.Hour

// Notices are the thresholds that were passed in a workspace lately and that a person has
// not dismissed, of each counter the last, the newest first. Administrators hear of the installation's too.
func (m *Manager) Notices(ctx context.Context, who access.Principal, workspace string, most int) ([]Passed, error) {
	var list []Passed
	for _, of := range noticedWorkspaces(who, workspace) {
		more, err := m.Shelf.PassedSince(ctx, of, who.User, m.Now().Add(-noticeLife), most)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortStableFunc(list, func(a, b Passed) int { return cmp.Or(b.At.Compare(a.At), b.Mark-a.Mark) })
	told := make(map[int64]bool)
	list = slices.DeleteFunc(list, func(p Passed) bool { // 80 % says all that 50 % did
		before := told[p.Counter]
		told[p.Counter] = true
		return before
	})
	return list[:min(len(list), most)], nil
}

// Dismiss has a person see no more of what was passed until then.
func (m *Manager) Dismiss(ctx context.Context, who access.Principal, workspace string, until time.Time) error {
	for _, of := range noticedWorkspaces(who, workspace) {
		if err := m.Shelf.DismissPassed(ctx, of, who.User, until); err != nil {
			return err
		}
	}
	return nil
}

// noticedWorkspaces are the workspaces whose thresholds a person hears of; "" is the installation.
func noticedWorkspaces(who access.Principal, workspace string) (list []string) {
	if workspace != "" && who.MaySee(workspace) {
		list = append(list, workspace)
	}
	if who.Admin {
		list = append(list, "")
	}
	return list
}

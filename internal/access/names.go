package access

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/label"
)

// mostNames is how many names a workspace may have, and how many there may be for all.
const mostNames = 200

// Name is what clients ask for, and the model that serves them instead of none.
type Name struct {
	Pattern string `json:"pattern"` // * is any run of characters, slashes included
	Model   string `json:"model"`   // the id of a model, never another name
}

// Names are looked through in their order.
type Names []Name

// SortNames puts the most specific first: what has the most letters besides stars, then
// the fewest stars, then the alphabet. So whichever order they were written in, the same
// one counts.
func SortNames(list []Name) Names {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b Name) int {
		aStars, bStars := strings.Count(a.Pattern, "*"), strings.Count(b.Pattern, "*")
		return cmp.Or(
			cmp.Compare(len(b.Pattern)-bStars, len(a.Pattern)-aStars), cmp.Compare(aStars, bStars), strings.Compare(a.Pattern, b.Pattern))
	})
	return sorted
}

// Find is the first name that a client's matches.
func (n Names) Find(id string) (Name, bool) {
	for i := range n {
		if label.Match(n[i].Pattern, id) {
			return n[i], true
		}
	}
	return Name{}, false
}

// Names are those of the scope's workspace.
func (s Scope) Names() Names {
	if s.Policy == nil {
		return nil
	}
	return s.Policy.Names
}

// SetName has a workspace's callers get a model for a name, in the place of what they
// got for it before. Owners set it.
func (s *Service) SetName(ctx context.Context, who Principal, workspace string, n Name) error {
	if !label.IsModelPattern(n.Pattern) {
		return fault.New(fault.InvalidParameter, "A name is a model id in which up to eight * stand for any characters: %.100q is not.", n.Pattern).Field("pattern")
	}
	if !label.IsModelID(n.Model) || strings.Contains(n.Model, "*") {
		return fault.New(fault.InvalidParameter, "A name leads to the id of a model: %.100q is none.", n.Model).Field("model")
	}
	return s.changeNames(ctx, who, workspace, func(list []Name) ([]Name, error) {
		list = slices.DeleteFunc(list, func(old Name) bool { return old.Pattern == n.Pattern })
		if len(list) >= mostNames {
			return nil, fault.New(fault.InvalidParameter, "A workspace has at most %d names.", mostNames).Field("pattern")
		}
		return append(list, n), nil
	})
}

// DeleteName removes a workspace's name.
func (s *Service) DeleteName(ctx context.Context, who Principal, workspace, pattern string) error {
	return s.changeNames(ctx, who, workspace, func(list []Name) ([]Name, error) {
		next := slices.DeleteFunc(slices.Clone(list), func(old Name) bool { return old.Pattern == pattern })
		if len(next) == len(list) {
			return nil, ErrNotFound
		}
		return next, nil
	})
}

func (s *Service) changeNames(ctx context.Context, who Principal, workspace string, change func([]Name) ([]Name, error)) error {
	if !who.may(Owner, workspace) {
		return errNotAllowed()
	}
	_, err := s.store.UpdatePolicy(ctx, workspace, func(p *Policy) (Entry, error) {
		list, err := change(slices.Clone([]Name(p.Names)))
		if err != nil {
			return Entry{}, err
		}
		next := SortNames(list)
		if slices.Equal(next, p.Names) {
			return Entry{}, nil
		}
		e := s.note(who, "workspace.names", workspace, workspace)
		e.Workspace, e.Changes = workspace, listNameChanges(p.Names, next)
		p.Names = next
		return e, nil
	})
	if err == nil {
		s.takeOverSoon(ctx)
	}
	return err
}

// listNameChanges says which names lead elsewhere, with the models they led to and lead to.
func listNameChanges(was, is Names) (list []Change) {
	for _, n := range is {
		if i := slices.IndexFunc(was, func(o Name) bool { return o.Pattern == n.Pattern }); i < 0 {
			list = append(list, Change{Field: n.Pattern, New: n.Model})
		} else if was[i] != n {
			list = append(list, Change{Field: n.Pattern, Old: was[i].Model, New: n.Model})
		}
	}
	for _, n := range was {
		if !slices.ContainsFunc(is, func(o Name) bool { return o.Pattern == n.Pattern }) {
			list = append(list, Change{Field: n.Pattern, Old: n.Model})
		}
	}
	return list
}

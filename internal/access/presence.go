package access

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"stele/internal/fault"
)

// PresenceStore tells whether people are still there.
type PresenceStore interface {
	// FindPresent finds a session, its person, and the role they have in a workspace,
	// whichever the session is in; or ErrNotFound.
	FindPresent(ctx context.Context, session, workspace string) (Visitor, error)
}

// presence is what is being answered to people.
type presence struct {
	mu   sync.Mutex // guards all
	open map[*stay]bool
}

// stay is an answer to a visitor that goes on.
type stay struct {
	visitor Visitor
	need    Role
	cancel  context.CancelCauseFunc
}

// Stay gives a context that ends when the visitor's session does, or a role that
// covers need in its workspace: within a second, whichever process ended it. WhyEnded
// tells. The caller calls release when the answer is over.
func (s *Service) Stay(ctx context.Context, v Visitor, need Role) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	one := &stay{visitor: v, need: need, cancel: cancel}
	p := &s.present
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = make(map[*stay]bool)
	}
	p.open[one] = true
	return held, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, one)
		cancel(nil)
	}
}

func (p *presence) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) > 0
}

// checkPresent ends what goes to people who have left. Only those to whom something
// is being answered are looked up.
func (s *Service) checkPresent(ctx context.Context) error {
	s.present.mu.Lock()
	bySession := make(map[[2]string][]*stay)
	for one := range s.present.open {
		at := [2]string{one.visitor.Session.ID, one.visitor.Session.Workspace}
		bySession[at] = append(bySession[at], one)
	}
	s.present.mu.Unlock()
	for at, list := range bySession {
		v, there, err := s.lookFor(ctx, at[0], at[1])
		if err != nil {
			return err
		}
		for _, one := range list {
			switch {
			case !there:
				one.cancel(errLeft())
			case !v.User.Admin && !v.Role.Covers(one.need): // administrators may do what no role does
				one.cancel(fault.New(fault.PermissionDenied, "Your role does not allow this any more.").Because(ErrEnded))
			}
		}
	}
	return nil
}

// CheckPresence refuses a visitor whose request was long in coming, if their session has
// ended meanwhile or their role in its workspace is another one: what they may do was
// asked when it began.
func (s *Service) CheckPresence(ctx context.Context, v Visitor) error {
	now, there, err := s.lookFor(ctx, v.Session.ID, v.Session.Workspace)
	switch {
	case err != nil:
		return err
	case !there:
		return errLeft()
	case now.User.Admin != v.User.Admin || now.Role != v.Role:
		return fault.New(fault.PermissionDenied, "Your role was changed while this was being sent.").Because(ErrEnded)
	}
	return nil
}

// lookFor finds the visitor of a session in a workspace, and whether there is one.
func (s *Service) lookFor(ctx context.Context, session, workspace string) (v Visitor, there bool, err error) {
	v, err = s.store.FindPresent(ctx, session, workspace)
	if errors.Is(err, ErrNotFound) {
		return v, false, nil
	}
	if err != nil {
		return v, false, fmt.Errorf("look for visitors: %w", err)
	}
	v.settle()
	return v, !s.hasEnded(v.Session), nil
}

func errLeft() *fault.Error {
	return fault.New(fault.SessionRequired, "Your session has ended: sign in again.").Because(ErrEnded)
}

package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// LinkLife is how long a link to choose a password works.
const LinkLife = 72 * time.Hour

// newLink gives p a link in the place of any before and returns its secret.
func (s *Service) newLink(p *Person) string {
	secret := uid.Secret(24)
	p.Link = Link{Hash: s.ticket("link " + secret), Until: s.now().Add(LinkLife)}
	return secret
}

// ResetLink makes a link by which somebody chooses a new password. The password
// they have works until then. Whoever has the link becomes that person, so an
// owner may make one only for people who belong nowhere else.
func (s *Service) ResetLink(ctx context.Context, who Principal, id string) (Person, string, error) {
	home, _, err := s.store.HomeOf(ctx, id)
	if err != nil {
		return Person{}, "", err
	}
	var secret string
	p, err := s.changePerson(ctx, who, id, func(p *Person, _ Left) (Settled, error) {
		if p.Elsewhere > 0 && !who.Admin {
			return Settled{}, fault.New(fault.PermissionDenied,
				"%s belongs to other workspaces as well: only an administrator resets the password.", p.Email)
		}
		secret = s.newLink(p)
		e := s.note(who, "user.reset", p.ID, p.Email)
		if p.Role == "" && !p.Admin { // by an administrator elsewhere
			e.Workspace = home
		}
		return Settled{Entry: e}, nil
	})
	return p, secret, err
}

// LinkOpen gives the address of the person whose link this is, or NotFound when
// it was used, replaced, is too old or never was one.
func (s *Service) LinkOpen(ctx context.Context, secret string) (string, error) {
	p, err := s.byLink(ctx, secret)
	return p.Email, err
}

// FollowLink sets the password that somebody has chosen by their link, ends the
// link and all their sessions, and signs them in.
func (s *Service) FollowLink(ctx context.Context, secret, password string, from Browser) (Visitor, string, error) {
	p, err := s.byLink(ctx, secret)
	if err != nil {
		return Visitor{}, "", err
	}
	if err := checkPassword(password); err != nil {
		return Visitor{}, "", err
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return Visitor{}, "", err
	}
	workspace, _, err := s.store.HomeOf(ctx, p.ID)
	if err != nil {
		return Visitor{}, "", err
	}
	p, err = s.store.UpdatePerson(ctx, workspace, p.ID, func(p *Person, _ Left) (Settled, error) {
		if !s.opens(p.Link, secret) { // somebody was faster
			return Settled{}, errNoLink()
		}
		p.Password, p.Link = hash, Link{}
		return Settled{Entry: s.note(Principal{User: p.ID, Workspace: workspace}, "user.password", p.ID, p.Email), End: true}, nil
	})
	if err != nil {
		return Visitor{}, "", err
	}
	return s.open(ctx, p.User, from)
}

func (s *Service) byLink(ctx context.Context, secret string) (Person, error) {
	p, err := s.store.ByLink(ctx, s.ticket("link "+secret))
	if errors.Is(err, ErrNotFound) || (err == nil && !s.opens(p.Link, secret)) {
		return Person{}, errNoLink()
	}
	return p, err
}

func (s *Service) opens(l Link, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(l.Hash), []byte(s.ticket("link "+secret))) == 1 && s.now().Before(l.Until)
}

func errNoLink() *fault.Error {
	return fault.New(fault.NotFound, "This link has been used, has been replaced, or is older than three days. Ask for a new one.")
}

// ChangePassword replaces the visitor's own password and ends all their other
// sessions.
func (s *Service) ChangePassword(ctx context.Context, v Visitor, current, next string) error {
	if v.User.Password == "" {
		return fault.New(fault.InvalidParameter, "You have no password yet. Ask an owner for a link to choose one.").With("field", "current")
	}
	name := "address " + v.User.Email
	if wait := s.throttle.wait(name); wait > 0 {
		return fault.New(fault.RateLimited, "Too many failed attempts: wait before the next one.").After(wait)
	}
	if err := checkPassword(next); err != nil {
		return err
	}
	s.throttle.fail(name)
	ok, err := s.passwordMatches(ctx, v.User.Password, current)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.InvalidParameter, "This is not your password.").With("field", "current")
	}
	s.throttle.clear(name)
	hash, err := s.hashPassword(ctx, next)
	if err != nil {
		return err
	}
	_, err = s.store.UpdatePerson(ctx, v.Session.Workspace, v.User.ID, func(p *Person, _ Left) (Settled, error) {
		if p.Password != v.User.Password { // changed since it was compared
			return Settled{}, fault.New(fault.InvalidParameter, "Your password was changed in another window.").With("field", "current")
		}
		p.Password, p.Link = hash, Link{}
		return Settled{Entry: s.note(v.Principal(), "user.password", p.ID, p.Email), End: true, But: v.Session.ID}, nil
	})
	return err
}

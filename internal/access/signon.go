package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/uid"
)

// Identity is who an identity provider says a visitor is.
type Identity struct {
	Subject  string // issuer and subject: stays the same when the address changes
	Email    string
	Verified bool      // the provider has seen that the address is theirs
	AuthAt   time.Time // when they proved who they are there; zero where it does not say
}

// SignOnRules say who may come in through the identity provider.
type SignOnRules struct {
	Domains []string // of addresses; none: only people who were added before
	Role    Role     // in the default workspace, of those who come for the first time
}

// signOnActor is who makes a person who comes through the identity provider for
// the first time.
const signOnActor = "single-sign-on"

// SignOn opens a session for a person whom the identity provider vouches for. It
// makes the person at their first sign-in, if the rules let them in. One who was
// removed since stays removed.
func (s *Service) SignOn(ctx context.Context, id Identity, rules SignOnRules, from Browser) (Visitor, string, error) {
	address, err := normalEmail(id.Email)
	if err != nil || id.Subject == "" {
		return s.turnAway(ctx, "no address", from, "Your identity provider gives no e-mail address.")
	}
	if !id.Verified {
		return s.turnAway(ctx, address, from, "Your identity provider has not verified the address "+address+".")
	}
	_, domain, _ := strings.Cut(address, "@")
	if len(rules.Domains) > 0 && !slices.ContainsFunc(rules.Domains, func(d string) bool { return label.Lower(d) == domain }) {
		return s.turnAway(ctx, address, from, "Addresses of "+domain+" are not let in here.")
	}
	u, err := s.store.UserBySubject(ctx, id.Subject)
	if errors.Is(err, ErrNotFound) {
		u, err = s.store.UserByEmail(ctx, address)
		switch {
		case errors.Is(err, ErrNotFound) && len(rules.Domains) == 0:
			return s.turnAway(ctx, address, from, "Nobody with the address "+address+" is known here. Ask an owner to add you.")
		case errors.Is(err, ErrNotFound):
			u, err = s.firstSignOn(ctx, id.Subject, address, rules.Role)
		case err == nil:
			u, err = s.bind(ctx, u, id.Subject)
		}
	}
	if errors.Is(err, ErrExists) {
		return s.turnAway(ctx, address, from, "The address "+address+" belongs to another account of your identity provider.")
	}
	if err != nil {
		return Visitor{}, "", err
	}
	return s.open(ctx, u, arrival{method: MethodSignOn, from: from, proven: id.AuthAt, proof: Proof{Subject: id.Subject}})
}

func (s *Service) firstSignOn(ctx context.Context, subject, address string, r Role) (User, error) {
	if !slices.Contains([]Role{Viewer, Member, Owner}, r) {
		r = Viewer
	}
	p := Person{Role: r, User: User{ID: uid.New("usr"), Email: address, Subject: subject, CreatedAt: s.now()}}
	who := Principal{User: signOnActor, Workspace: DefaultWorkspace}
	err := s.store.InsertPerson(ctx, DefaultWorkspace, p, s.note(who, "user.create", p.ID, p.Email))
	if errors.Is(err, ErrExists) { // in another window, at the same moment
		return s.store.UserBySubject(ctx, subject)
	}
	return p.User, err
}

// bind ties a person who was added by their address to the provider's account.
// Whatever was set up for that address before ends: links, passwords, second
// factors, sessions. It may have been another person who did. One who is tied to
// another account gives ErrExists.
func (s *Service) bind(ctx context.Context, u User, subject string) (User, error) {
	workspace, _, err := s.home(ctx, u, "")
	if err != nil {
		return User{}, err
	}
	p, err := s.store.UpdatePerson(ctx, workspace, u.ID, func(p *Person, _ Left) (Settled, error) {
		if p.Subject != "" && p.Subject != subject {
			return Settled{}, ErrExists
		}
		p.Subject, p.Link = subject, Link{}
		p.setLogin("", "")
		return Settled{Entry: s.note(Principal{User: p.ID, Workspace: workspace}, "user.signon", p.ID, p.Email), End: true, Afresh: true}, nil
	})
	return p.User, err
}

func (s *Service) turnAway(ctx context.Context, address string, from Browser, why string) (Visitor, string, error) {
	if s.throttle.tell() {
		e := s.note(Principal{Workspace: DefaultWorkspace}, "session.refuse", "", address+" from "+from.Remote)
		if err := s.store.InsertEntry(ctx, e); err != nil {
			return Visitor{}, "", err
		}
	}
	return Visitor{}, "", fault.New(fault.PermissionDenied, "%s", why)
}

package access

import (
	"context"
	"errors"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

const (
	// linkLife is how long a link to choose a password works.
	linkLife = 72 * time.Hour
	// rescueLife is how long a link works that signs an administrator in.
	rescueLife = 15 * time.Minute
)

// newLink gives p a link of who in the place of any before and returns its secret.
// Where the identity provider is the only way in there are none.
func (s *Service) newLink(who Principal, p *Person) string {
	if s.SignInRules().SSOOnly {
		p.Link = Link{}
		return ""
	}
	secret := uid.Secret(24)
	p.Link = Link{Hash: s.ticket("link " + secret), Until: s.now().Add(linkLife), Via: who.via(), Workspace: who.Workspace}
	return secret
}

// ResetLink makes a link by which a person chooses a new password. The password
// they have works until then. One of an owner opens the owner's workspace and
// nothing else, and is made only for people who belong nowhere else; one of an
// administrator takes the place of whatever was set up before.
func (s *Service) ResetLink(ctx context.Context, who Principal, id string) (Person, string, error) {
	if s.SignInRules().SSOOnly {
		return Person{}, "", errSSOOnly()
	}
	home, _, err := s.store.HomeOf(ctx, id, "")
	if err != nil {
		return Person{}, "", err
	}
	var secret string
	p, err := s.changePerson(ctx, who, id, func(p *Person, _ Left) (Settled, error) {
		if p.Elsewhere > 0 && !who.Admin {
			return Settled{}, fault.New(fault.PermissionDenied,
				"%s belongs to other workspaces as well: only an administrator resets the password.", p.Email)
		}
		secret = s.newLink(who, p)
		e := s.note(who, "user.reset", p.ID, p.Email)
		if p.Role == "" && !p.Admin { // by an administrator elsewhere
			e.Workspace = home
		}
		return Settled{Entry: e}, nil
	})
	return p, secret, err
}

// RescueLink makes a link that signs an administrator in without a password, once
// and soon, also where the identity provider is the only way in. Only the command
// line makes it: for the day on which nothing else works.
func (s *Service) RescueLink(ctx context.Context, who Principal, id string) (Person, string, error) {
	if who.User != commandLine || !who.Admin {
		return Person{}, "", errNotAdmin()
	}
	var secret string
	p, err := s.changePerson(ctx, who, id, func(p *Person, _ Left) (Settled, error) {
		if !p.Admin {
			return Settled{}, fault.New(fault.InvalidParameter, "%s is no administrator.", p.Email).Field("role")
		}
		secret = uid.Secret(24)
		p.Link = Link{Hash: s.ticket("link " + secret), Until: s.now().Add(rescueLife), Workspace: who.Workspace, Rescue: true}
		return Settled{Entry: s.note(who, "user.rescue", p.ID, p.Email)}, nil
	})
	return p, secret, err
}

// Invitation is what a visitor finds behind a link.
type Invitation struct {
	User      string // whose it is
	Email     string
	Workspace string // where it lets them in
	Rescue    bool   // no password is asked for
	Known     bool   // they have another password, and may sign in with it instead
	Joinable  bool   // who is signed in as them needs no new password
}

// Invitation is what stands behind a link, or NotFound when it was used, replaced, is
// too old or never was one.
func (s *Service) Invitation(ctx context.Context, secret string) (Invitation, error) {
	p, err := s.byLink(ctx, secret)
	if err != nil {
		return Invitation{}, err
	}
	sets, err := s.store.Passwords(ctx, p.ID)
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{
		User: p.ID, Email: p.Email, Workspace: p.Link.Workspace, Rescue: p.Link.Rescue,
		Known: len(sets) > 0, Joinable: !p.Admin && !p.Link.Rescue,
	}, nil
}

// FollowLink sets the password that a person has chosen by their link, ends the
// link and the sessions of that login, and signs them in. Who has a second factor
// is asked for it: the error is then a *SecondStep.
func (s *Service) FollowLink(ctx context.Context, secret, password string, from Browser) (Visitor, string, error) {
	p, err := s.byLink(ctx, secret)
	if err != nil {
		return Visitor{}, "", err
	}
	if p.Link.Rescue {
		return s.followRescue(ctx, p, secret, from)
	}
	if err := checkPassword(password); err != nil {
		return Visitor{}, "", err
	}
	network, _ := networks(from.Remote)
	hash, err := s.hashPassword(ctx, network, password)
	if err != nil {
		return Visitor{}, "", err
	}
	home, _, err := s.store.HomeOf(ctx, p.ID, "")
	if err != nil {
		return Visitor{}, "", err
	}
	via := p.Link.Via
	p, err = s.store.UpdatePerson(ctx, home, p.ID, func(p *Person, _ Left) (Settled, error) {
		if !s.linkOpens(p.Link, secret) { // another visitor was faster
			return Settled{}, errNoLink()
		}
		via = p.Link.Via
		p.setLogin(via, hash)
		p.Link = Link{}
		return Settled{Entry: s.note(Principal{User: p.ID, Workspace: home}, "user.password", p.ID, p.Email), End: true, Via: endOf(via)}, nil
	})
	if err != nil {
		return Visitor{}, "", err
	}
	return s.openOrAsk(ctx, p.User, arrival{via: via, method: MethodLink, from: from, proof: Proof{Password: hash}})
}

// endOf says whose sessions end with a login that is set up anew: those of the
// login, and all of them for an administrator's.
func endOf(via string) *string {
	if via == "" {
		return nil
	}
	return &via
}

func (s *Service) followRescue(ctx context.Context, p Person, secret string, from Browser) (Visitor, string, error) {
	p, err := s.store.UpdatePerson(ctx, DefaultWorkspace, p.ID, func(p *Person, _ Left) (Settled, error) {
		if !s.linkOpens(p.Link, secret) || !p.Admin {
			return Settled{}, errNoLink()
		}
		p.Link = Link{}
		return Settled{Entry: s.note(Principal{User: p.ID, Workspace: DefaultWorkspace}, "user.rescued", p.ID, p.Email)}, nil
	})
	if err != nil {
		return Visitor{}, "", err
	}
	return s.open(ctx, p.User, arrival{method: MethodRescue, from: from})
}

// JoinByLink lets a person in who is signed in already: they hold the account and
// the link, so what they have set up counts for the workspace of the link from now on.
func (s *Service) JoinByLink(ctx context.Context, v Visitor, secret string) error {
	p, err := s.byLink(ctx, secret)
	if err != nil {
		return err
	}
	if p.ID != v.User.ID || p.Admin || p.Link.Rescue {
		return fault.New(fault.PermissionDenied, "This link is for %s: choose a password with it.", p.Email)
	}
	workspace := p.Link.Workspace
	_, err = s.store.UpdatePerson(ctx, workspace, p.ID, func(p *Person, _ Left) (Settled, error) {
		if !s.linkOpens(p.Link, secret) || p.Role == "" {
			return Settled{}, errNoLink()
		}
		p.opens(workspace, v.Session.Via)
		p.Link = Link{}
		return Settled{Entry: s.note(Principal{User: p.ID, Workspace: workspace}, "user.join", p.ID, p.Email)}, nil
	})
	if err != nil {
		return err
	}
	return s.SwitchWorkspace(ctx, v, workspace)
}

func (s *Service) byLink(ctx context.Context, secret string) (Person, error) {
	p, err := s.store.ByLink(ctx, s.ticket("link "+secret))
	if errors.Is(err, ErrNotFound) || (err == nil && !s.linkOpens(p.Link, secret)) {
		return Person{}, errNoLink()
	}
	if err == nil && s.SignInRules().SSOOnly && !p.Link.Rescue {
		return Person{}, errNoLink()
	}
	return p, err
}

func (s *Service) linkOpens(l Link, secret string) bool {
	return sameText(l.Hash, s.ticket("link "+secret)) && s.now().Before(l.Until)
}

func errNoLink() *fault.Error {
	return fault.New(fault.NotFound, "This link has been used, has been replaced, or is older than three days. Ask for a new one.")
}

// ChangePassword replaces the visitor's own password and ends all their other
// sessions.
func (s *Service) ChangePassword(ctx context.Context, v Visitor, current, next string) error {
	if v.User.Password == "" {
		return fault.New(fault.InvalidParameter, "You have no password yet. Ask an owner for a link to choose one.").Field("current")
	}
	if err := checkPassword(next); err != nil {
		return err
	}
	if err := s.checkOwnPassword(ctx, v, current); err != nil {
		return err
	}
	hash, err := s.hashPassword(ctx, ourselves, next)
	if err != nil {
		return err
	}
	via := v.Session.Via
	_, err = s.store.UpdatePerson(ctx, v.Session.Workspace, v.User.ID, func(p *Person, _ Left) (Settled, error) {
		if p.passwordOf(via) != v.User.Password { // changed since it was compared
			return Settled{}, fault.New(fault.InvalidParameter, "Your password was changed in another window.").Field("current")
		}
		p.setPassword(via, hash)
		p.Link = Link{}
		return Settled{Entry: s.note(v.Principal(), "user.password", p.ID, p.Email), End: true, Via: endOf(via), But: v.Session.ID}, nil
	})
	return err
}

// checkOwnPassword compares the password that a person who is signed in gives for
// their own. Guessing has to wait, but stands in no other's way at the door.
func (s *Service) checkOwnPassword(ctx context.Context, v Visitor, password string) error {
	try := attempt{account: "own " + v.User.ID + " " + v.Session.Via, device: v.Session.ID}
	if err := s.begin(ctx, try); err != nil {
		return err
	}
	network, _ := networks(v.Session.Remote)
	ok, err := s.passwordMatches(ctx, network, v.User.Password, password)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.InvalidParameter, "This is not your password.").Field("current")
	}
	return s.throttle.forgive(ctx, try)
}

// begin counts an attempt, or says how long to wait for it.
func (s *Service) begin(ctx context.Context, try attempt) error {
	_, wait, err := s.throttle.begin(ctx, try)
	if err == nil && wait > 0 {
		err = errWait(wait)
	}
	return err
}

func errWait(wait time.Duration) *fault.Error {
	return fault.New(fault.RateLimited, "Too many failed attempts: wait before the next one.").After(wait)
}

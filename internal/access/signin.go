package access

import (
	"cmp"
	"context"
	"errors"

	"stele/internal/fault"
)

// SignIn checks a password and opens a session. The returned secret is the
// cookie's value; it is not kept. A wrong password and an unknown address are
// the same failure and take the same time; too many of them have to wait. Who has
// a second factor is asked for it: the error is then a *SecondStep.
func (s *Service) SignIn(ctx context.Context, email, password string, from Browser) (Visitor, string, error) {
	if s.SignInRules().SSOOnly {
		return Visitor{}, "", errSSOOnly()
	}
	address, err := normalEmail(email)
	if err != nil {
		address = "" // answered like an unknown one
	}
	try := attempt{account: address, remote: from.Remote}
	if wait := s.throttle.wait(try); wait > 0 && from.Device == "" {
		return Visitor{}, "", errWait(wait) // without a look into the database
	}
	u, sets, err := s.waysIn(ctx, address)
	if err != nil {
		return Visitor{}, "", err
	}
	if try.device, err = s.findDevice(ctx, u.ID, from.Device); err != nil {
		return Visitor{}, "", err
	}
	step, wait, err := s.throttle.begin(ctx, try)
	if err != nil {
		return Visitor{}, "", err
	}
	if wait > 0 {
		return Visitor{}, "", errWait(wait)
	}
	match, err := s.match(ctx, sets, password, from)
	if err != nil {
		return Visitor{}, "", err
	}
	if match == nil {
		if err := s.noteRefusal(ctx, step, u, address, from); err != nil {
			return Visitor{}, "", err
		}
		return Visitor{}, "", fault.New(fault.PermissionDenied, "The address or the password is wrong.")
	}
	if err := s.throttle.forgive(ctx, try); err != nil {
		return Visitor{}, "", err
	}
	return s.openOrAsk(ctx, u, arrival{via: match.Via, method: MethodPassword, from: from, proof: Proof{Password: match.Password}})
}

// waysIn are the passwords by which a visitor may become the person of an address.
func (s *Service) waysIn(ctx context.Context, address string) (User, []Login, error) {
	u, err := s.store.UserByEmail(ctx, address)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return User{}, nil, err
	}
	sets, err := s.store.Passwords(ctx, u.ID)
	return u, sets, err
}

// match finds the login that a password opens, nil for none. Where there is
// nothing to compare with it takes as long.
func (s *Service) match(ctx context.Context, sets []Login, password string, from Browser) (*Login, error) {
	network, _ := networks(from.Remote)
	if checkPassword(password) != nil {
		return nil, nil //nolint:nilerr // no account's, which any client can tell: not worth a hash
	}
	if len(sets) == 0 {
		_, err := s.passwordMatches(ctx, network, s.hashing.cost.decoy(), password)
		return nil, err
	}
	for i := range sets {
		ok, err := s.passwordMatches(ctx, network, sets[i].Password, password)
		if ok || err != nil {
			return &sets[i], err
		}
	}
	return nil, nil
}

// noteRefusal writes a failed sign-in down: the first one, and every one that makes
// the wait longer. What is written does not depend on whether the address is
// known, so neither does the time it takes.
func (s *Service) noteRefusal(ctx context.Context, step bool, u User, address string, from Browser) error {
	if !step || !s.throttle.tell() {
		return nil
	}
	workspace, _, err := s.store.HomeOf(ctx, u.ID, "")
	if err != nil {
		return err
	}
	address = cmp.Or(address, "no address")
	return s.store.InsertEntry(ctx, s.note(Principal{Workspace: workspace}, "session.refuse", u.ID, address+" from "+from.Remote))
}

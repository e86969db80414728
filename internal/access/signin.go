package access

import (
	"context"
	"errors"

	"stele/internal/fault"
)

// SignIn checks a password and opens a session. The returned secret is the
// cookie's value; it is not kept. A wrong password and an unknown address are
// the same failure and take the same time; too many of them have to wait.
func (s *Service) SignIn(ctx context.Context, email, password string, from Browser) (Visitor, string, error) {
	address, err := normalEmail(email)
	if err != nil {
		address = "" // answered like an unknown one
	}
	keys := []string{"address " + address, "remote " + from.Remote}
	if wait := s.throttle.wait(keys...); wait > 0 {
		return Visitor{}, "", fault.New(fault.RateLimited, "Too many failed attempts: wait before the next one.").After(wait)
	}
	u, err := s.store.UserByEmail(ctx, address)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Visitor{}, "", err
	}
	stored, known := nobody, err == nil && u.Password != ""
	if known {
		stored = u.Password
	}
	// Counted before the hash is computed: parallel guesses must not all slip under the limit.
	step := s.throttle.fail(keys...)
	ok, err := s.passwordMatches(ctx, stored, password)
	if err != nil {
		return Visitor{}, "", err
	}
	if !ok || !known {
		if err := s.refused(ctx, step, u, address, from); err != nil {
			return Visitor{}, "", err
		}
		return Visitor{}, "", fault.New(fault.PermissionDenied, "The address or the password is wrong.")
	}
	// Only the account's failures are forgotten: somebody with one account must not
	// win free guesses at others from the same place.
	s.throttle.clear(keys[0])
	return s.open(ctx, u, from)
}

// refused writes a failed sign-in down: the first one, and every one that makes
// the wait longer. What is written does not depend on whether the address is
// known, so neither does the time it takes.
func (s *Service) refused(ctx context.Context, step bool, u User, address string, from Browser) error {
	if !step || !s.throttle.tell() {
		return nil
	}
	workspace, _, err := s.store.HomeOf(ctx, u.ID)
	if err != nil {
		return err
	}
	if address == "" {
		address = "no address"
	}
	return s.store.InsertEntry(ctx, s.note(Principal{Workspace: workspace}, "session.refuse", u.ID, address+" from "+from.Remote))
}

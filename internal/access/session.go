package access

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

const (
	sessionIdle = 24 * time.Hour      // a session unused for this long ends
	sessionLife = 14 * 24 * time.Hour // and so does one this old
	seenEvery   = time.Minute         // how late "last seen" may be
)

// Session is a browser that is signed in.
type Session struct {
	ID        string
	Hash      string // keyed hash of the cookie's value, hexadecimal
	User      string
	Workspace string
	CreatedAt time.Time
	SeenAt    time.Time
	Remote    string // address it was made from
}

// SessionStore keeps sessions.
type SessionStore interface {
	InsertSession(ctx context.Context, s Session) error
	SessionByHash(ctx context.Context, hash string) (Session, error)
	TouchSession(ctx context.Context, id string, at time.Time) error
	DeleteSession(ctx context.Context, id string) error
	DeleteSessionsBefore(ctx context.Context, seen, created time.Time) error
}

// Visitor is a person and the session that brought them.
type Visitor struct {
	User    User
	Session Session
	Role    Role // in the session's workspace
}

// Principal is the visitor acting in the session's workspace.
func (v Visitor) Principal() Principal { return v.User.Principal(v.Session.Workspace) }

// SignIn checks a password and opens a session. The returned secret is the
// cookie's value; it is not kept. A wrong password and an unknown address are
// the same failure and take the same time; too many of them have to wait.
func (s *Service) SignIn(ctx context.Context, email, password, remote string) (Visitor, string, error) {
	address, err := normalEmail(email)
	if err != nil {
		address = "" // answered like an unknown one
	}
	keys := []string{"address " + address, "remote " + remote}
	if wait := s.throttle.wait(keys...); wait > 0 {
		return Visitor{}, "", fault.New(fault.RateLimited, "Too many failed attempts: wait before the next one.").After(wait)
	}
	u, err := s.store.UserByEmail(ctx, address)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Visitor{}, "", err
	}
	known := err == nil
	stored := nobody
	if known {
		stored = u.Password
	}
	// Counted before the hash is computed: parallel guesses must not all slip under the limit.
	s.throttle.fail(keys...)
	ok, err := s.passwordMatches(ctx, stored, password)
	if err != nil {
		return Visitor{}, "", err
	}
	if !ok || !known {
		return Visitor{}, "", fault.New(fault.PermissionDenied, "The address or the password is wrong.")
	}
	// Only the account's failures are forgotten: somebody with one account must not
	// win free guesses at others from the same place.
	s.throttle.clear(keys[0])
	return s.open(ctx, u, remote)
}

// BySession finds the visitor behind a cookie's value, or gives SessionRequired.
func (s *Service) BySession(ctx context.Context, secret string) (Visitor, error) {
	if len(secret) < 32 || len(secret) > 128 {
		return Visitor{}, errNoSession()
	}
	session, err := s.store.SessionByHash(ctx, s.ticket(secret))
	if errors.Is(err, ErrNotFound) {
		return Visitor{}, errNoSession()
	}
	if err != nil {
		return Visitor{}, err
	}
	now := s.now()
	if now.Sub(session.SeenAt) > sessionIdle || now.Sub(session.CreatedAt) > sessionLife {
		return Visitor{}, errNoSession()
	}
	u, err := s.store.User(ctx, session.User)
	if errors.Is(err, ErrNotFound) {
		return Visitor{}, errNoSession()
	}
	if err != nil {
		return Visitor{}, err
	}
	if now.Sub(session.SeenAt) > seenEvery {
		if err := s.store.TouchSession(ctx, session.ID, now); err != nil {
			return Visitor{}, err
		}
	}
	return Visitor{User: u, Session: session, Role: role(u)}, nil
}

// SignOut ends a session.
func (s *Service) SignOut(ctx context.Context, v Visitor) error {
	return s.store.DeleteSession(ctx, v.Session.ID)
}

func (s *Service) open(ctx context.Context, u User, remote string) (Visitor, string, error) {
	now := s.now()
	if err := s.store.DeleteSessionsBefore(ctx, now.Add(-sessionIdle), now.Add(-sessionLife)); err != nil {
		return Visitor{}, "", err
	}
	secret := uid.Secret(32)
	session := Session{
		ID: uid.New("ses"), Hash: s.ticket(secret), User: u.ID, Workspace: DefaultWorkspace,
		CreatedAt: now, SeenAt: now, Remote: remote,
	}
	if err := s.store.InsertSession(ctx, session); err != nil {
		return Visitor{}, "", err
	}
	return Visitor{User: u, Session: session, Role: role(u)}, secret, nil
}

func (s *Service) ticket(secret string) string {
	sum := s.tickets.Sum(secret)
	return hex.EncodeToString(sum[:])
}

func errNoSession() *fault.Error {
	return fault.New(fault.SessionRequired, "Sign in to the console first: API keys do not open it.")
}

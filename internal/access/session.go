package access

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
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
	Agent     string // what the browser calls itself
}

// Browser is where somebody signs in from.
type Browser struct {
	Remote string // its address
	Agent  string // what it calls itself
}

// Ending says which sessions of a person end. Empty fields do not narrow it.
type Ending struct {
	User      string
	ID        string // only this one
	Workspace string // only those in this workspace
	But       string // not this one
}

// SessionStore keeps sessions.
type SessionStore interface {
	InsertSession(ctx context.Context, s Session, e Entry) error
	// SessionByHash finds a session with its person and the role they have in its workspace.
	SessionByHash(ctx context.Context, hash string) (Visitor, error)
	// Sessions lists those of a person, the last seen first.
	Sessions(ctx context.Context, user string) ([]Session, error)
	TouchSession(ctx context.Context, id string, at time.Time) error
	MoveSession(ctx context.Context, id, workspace string, e Entry) error
	// EndSessions ends sessions and says how many. Where there are none no entry is written.
	EndSessions(ctx context.Context, end Ending, e Entry) (int, error)
	DeleteSessionsBefore(ctx context.Context, seen, created time.Time) error
}

// Visitor is a person and the session that brought them.
type Visitor struct {
	User    User
	Session Session
	Role    Role // in the session's workspace

	Policy *Policy // of that workspace; nil: none. The service fills it in.
}

// Principal is the visitor acting in the session's workspace.
func (v Visitor) Principal() Principal {
	return Principal{
		Workspace: v.Session.Workspace, User: v.User.ID, Admin: v.User.Admin, Role: v.Role, Scope: Scope{Policy: v.Policy},
	}
}

// BySession finds the visitor behind a cookie's value, or gives SessionRequired.
func (s *Service) BySession(ctx context.Context, secret string) (Visitor, error) {
	if len(secret) < 32 || len(secret) > 128 {
		return Visitor{}, errNoSession()
	}
	v, err := s.store.SessionByHash(ctx, s.ticket(secret))
	if errors.Is(err, ErrNotFound) {
		return Visitor{}, errNoSession()
	}
	if err != nil {
		return Visitor{}, err
	}
	now := s.now()
	if v.Session.ended(now) {
		return Visitor{}, errNoSession()
	}
	if now.Sub(v.Session.SeenAt) > seenEvery {
		if err := s.store.TouchSession(ctx, v.Session.ID, now); err != nil {
			return Visitor{}, err
		}
	}
	v.Role, v.Policy = role(v.User, v.Role), s.ScopeOf(v.Session.Workspace).Policy
	return v, nil
}

func (s *Session) ended(now time.Time) bool {
	return now.Sub(s.SeenAt) > sessionIdle || now.Sub(s.CreatedAt) > sessionLife
}

// Sessions lists where the visitor is signed in, the last seen first.
func (s *Service) Sessions(ctx context.Context, v Visitor) ([]Session, error) {
	all, err := s.store.Sessions(ctx, v.User.ID)
	now := s.now()
	return slices.DeleteFunc(all, func(one Session) bool { return one.ended(now) }), err
}

// SignOut ends the visitor's session.
func (s *Service) SignOut(ctx context.Context, v Visitor) error {
	_, err := s.store.EndSessions(ctx, Ending{User: v.User.ID, ID: v.Session.ID}, s.note(v.Principal(), "session.signout", v.Session.ID, v.Session.Remote))
	return err
}

// EndSession ends one of the visitor's own sessions.
func (s *Service) EndSession(ctx context.Context, v Visitor, id string) error {
	n, err := s.store.EndSessions(ctx, Ending{User: v.User.ID, ID: id}, s.note(v.Principal(), "session.end", id, v.User.Email))
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// EndOtherSessions ends all of the visitor's sessions but the one they are in.
func (s *Service) EndOtherSessions(ctx context.Context, v Visitor) (int, error) {
	return s.store.EndSessions(ctx, Ending{User: v.User.ID, But: v.Session.ID}, s.note(v.Principal(), "session.end", v.User.ID, "all others of "+v.User.Email))
}

func (s *Service) open(ctx context.Context, u User, from Browser) (Visitor, string, error) {
	now := s.now()
	if err := s.forgetSessions(ctx); err != nil {
		return Visitor{}, "", err
	}
	home, member, err := s.home(ctx, u)
	if err != nil {
		return Visitor{}, "", err
	}
	secret := uid.Secret(32)
	v := Visitor{User: u, Role: role(u, member), Session: Session{
		ID: uid.New("ses"), Hash: s.ticket(secret), User: u.ID, Workspace: home,
		CreatedAt: now, SeenAt: now, Remote: from.Remote, Agent: cut(from.Agent, 400),
	}}
	if err := s.store.InsertSession(ctx, v.Session, s.note(v.Principal(), "session.signin", v.Session.ID, from.Remote)); err != nil {
		return Visitor{}, "", err
	}
	return v, secret, nil
}

// forgetSessions deletes those that have ended.
func (s *Service) forgetSessions(ctx context.Context) error {
	now := s.now()
	return s.store.DeleteSessionsBefore(ctx, now.Add(-sessionIdle), now.Add(-sessionLife))
}

// home is where somebody begins, and the role they have there.
func (s *Service) home(ctx context.Context, u User) (string, Role, error) {
	if u.Admin {
		return DefaultWorkspace, "", nil
	}
	return s.store.HomeOf(ctx, u.ID)
}

// cut shortens what comes from outside to valid text of at most n bytes.
func cut(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return strings.ToValidUTF8(text, "")
}

func (s *Service) ticket(secret string) string {
	sum := s.tickets.Sum(secret)
	return hex.EncodeToString(sum[:])
}

func errNoSession() *fault.Error {
	return fault.New(fault.SessionRequired, "Sign in to the console first: API keys do not open it.")
}

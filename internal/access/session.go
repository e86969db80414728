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

const seenEvery = time.Minute // how late "last seen" may be

// The ways in which a session begins.
const (
	MethodPassword = "password"
	MethodLink     = "link"
	MethodPasskey  = "passkey"
	MethodSignOn   = "single-sign-on"
	MethodRescue   = "rescue" // a link that the command line made
)

// Session is a browser that is signed in.
type Session struct {
	ID        string
	Hash      string // keyed hash of the cookie's value, hexadecimal
	User      string
	Workspace string
	CreatedAt time.Time
	SeenAt    time.Time
	ProvenAt  time.Time // when the person last proved who they are
	Remote    string    // address it was made from
	Agent     string    // what the browser calls itself
	Via       string    // the login that opened it, see Login
	Method    string    // how it began
	Device    string    // keyed hash of the browser's own mark; "" where it has none
	Proof     Proof     // what it was opened with; InsertSession looks at it and does not keep it
}

// Proof is what a person was let in for. One that was replaced or taken away while they
// came in opens nothing. Empty fields say nothing.
type Proof struct {
	Password string // the hash of the login's
	Factor   string // the id of a passkey
	Subject  string // who the identity provider says they are
}

// Browser is where a person signs in from.
type Browser struct {
	Remote string // its address
	Agent  string // what it calls itself
	Device string // the mark it was given at an earlier sign-in, "" for none
}

// Ending says which sessions of a person end. Empty fields do not narrow it.
type Ending struct {
	User      string
	ID        string  // only this one
	Workspace string  // only those in this workspace
	But       string  // not this one
	Via       *string // only those of this login
}

// SessionStore keeps sessions.
type SessionStore interface {
	// InsertSession saves a session whose proof still counts, or gives ErrNotFound. It
	// waits for a change of the person. It remembers the browser, and ends the oldest of
	// the person's where there are more than most.
	InsertSession(ctx context.Context, s Session, most int, unknown bool, entries ...Entry) error
	// ProveSession notes when the person of a session last proved who they are.
	ProveSession(ctx context.Context, id string, at time.Time) error
	// Devices lists the browsers a person has signed in with, the last one first.
	Devices(ctx context.Context, user string) ([]Device, error)
	// TellDevices marks the browsers that a login's holder was told of: all but their own.
	TellDevices(ctx context.Context, user, via, own string) error
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
	User    User // an administrator only where the login makes them one
	Session Session
	Role    Role   // in the session's workspace
	Factors int    // second factors of the login
	News    int    // sign-ins from new browsers that they were not told of
	Mark    string // for the browser to keep, where it was given a new one

	Policy *Policy // of that workspace; nil: none. The service fills it in.
}

// Principal is the visitor acting in the session's workspace.
func (v Visitor) Principal() Principal {
	return Principal{
		Workspace: v.Session.Workspace, User: v.User.ID, Admin: v.User.Admin, Role: v.Role, Via: v.Session.Via, Scope: Scope{Policy: v.Policy},
	}
}

// settle makes the visitor what their login makes them: one that a workspace vouches
// for opens no more than that workspace has given.
func (v *Visitor) settle() {
	v.User.Admin = v.User.Admin && v.Session.Via == ""
	v.Role = role(v.User, v.Role)
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
	if s.hasEnded(v.Session) {
		return Visitor{}, errNoSession()
	}
	if now.Sub(v.Session.SeenAt) > seenEvery {
		if err := s.store.TouchSession(ctx, v.Session.ID, now); err != nil {
			return Visitor{}, err
		}
	}
	v.settle()
	v.Policy = s.ScopeOf(v.Session.Workspace).Policy
	return v, nil
}

func (s *Service) hasEnded(one Session) bool {
	now, rules := s.now(), s.SignInRules()
	if rules.SSOOnly && one.Method != MethodSignOn && one.Method != MethodRescue {
		return true
	}
	return now.Sub(one.SeenAt) > rules.Idle || now.Sub(one.CreatedAt) > rules.Life
}

// Proven reports whether the visitor has proven who they are not long ago.
func (s *Service) Proven(v Visitor) bool { return s.now().Sub(v.Session.ProvenAt) <= confirmLife }

// Sessions lists where the visitor is signed in, the last seen first.
func (s *Service) Sessions(ctx context.Context, v Visitor) ([]Session, error) {
	all, err := s.store.Sessions(ctx, v.User.ID)
	return slices.DeleteFunc(all, func(one Session) bool { return s.hasEnded(one) || !v.sees(one.Via) }), err
}

// sees reports whether what belongs to a login is the visitor's business. Logins
// may be held by different people: each sees and ends its own, and who an
// administrator or the identity provider vouches for all of them.
func (v Visitor) sees(via string) bool { return v.Session.Via == "" || v.Session.Via == via }

// SignOut ends the visitor's session.
func (s *Service) SignOut(ctx context.Context, v Visitor) error {
	_, err := s.store.EndSessions(ctx, Ending{User: v.User.ID, ID: v.Session.ID}, s.note(v.Principal(), "session.signout", v.Session.ID, v.Session.Remote))
	return err
}

// EndSession ends one of the visitor's own sessions.
func (s *Service) EndSession(ctx context.Context, v Visitor, id string) error {
	n, err := s.store.EndSessions(ctx, Ending{User: v.User.ID, ID: id, Via: endOf(v.Session.Via)}, s.note(v.Principal(), "session.end", id, v.User.Email))
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// EndOtherSessions ends all of the visitor's sessions but the one they are in.
func (s *Service) EndOtherSessions(ctx context.Context, v Visitor) (int, error) {
	others := Ending{User: v.User.ID, But: v.Session.ID, Via: endOf(v.Session.Via)}
	return s.store.EndSessions(ctx, others, s.note(v.Principal(), "session.end", v.User.ID, "all others of "+v.User.Email))
}

// arrival is how a person came in.
type arrival struct {
	via    string
	method string
	from   Browser
	proven time.Time // when they proved who they are; zero: now
	proof  Proof
}

func (s *Service) open(ctx context.Context, u User, a arrival) (Visitor, string, error) {
	now := s.now()
	if err := s.forgetSessions(ctx); err != nil {
		return Visitor{}, "", err
	}
	u.Admin = u.Admin && a.via == ""
	home, member, err := s.home(ctx, u, a.via)
	if err != nil {
		return Visitor{}, "", err
	}
	if a.proven.IsZero() || a.proven.After(now) {
		a.proven = now
	}
	secret := uid.Secret(32)
	v := Visitor{User: u, Role: role(u, member), Session: Session{
		ID: uid.New("ses"), Hash: s.ticket(secret), User: u.ID, Workspace: home, CreatedAt: now, SeenAt: now, ProvenAt: a.proven,
		Remote: a.from.Remote, Agent: cut(a.from.Agent, 400), Via: a.via, Method: a.method, Proof: a.proof,
	}}
	unknown, err := s.recognise(ctx, &v, a.from.Device)
	if err != nil {
		return Visitor{}, "", err
	}
	entries := []Entry{s.note(v.Principal(), "session.signin", v.Session.ID, a.from.Remote)}
	if unknown {
		entries = append(entries, s.note(v.Principal(), "session.new_device", v.Session.ID, strings.TrimSpace(a.from.Remote+" "+cut(a.from.Agent, 200))))
	}
	err = s.store.InsertSession(ctx, v.Session, s.SignInRules().Sessions, unknown, entries...)
	if errors.Is(err, ErrNotFound) { // it was changed meanwhile
		return Visitor{}, "", TooLate()
	}
	if err != nil {
		return Visitor{}, "", err
	}
	return v, secret, nil
}

// forgetSessions deletes those that have ended.
func (s *Service) forgetSessions(ctx context.Context) error {
	now, rules := s.now(), s.SignInRules()
	return s.store.DeleteSessionsBefore(ctx, now.Add(-rules.Idle), now.Add(-rules.Life))
}

// home is where a person begins, and the role they have there.
func (s *Service) home(ctx context.Context, u User, via string) (string, Role, error) {
	if u.Admin {
		return DefaultWorkspace, "", nil
	}
	return s.store.HomeOf(ctx, u.ID, via)
}

// cut shortens what comes from outside to valid text of at most n bytes.
func cut(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

func (s *Service) ticket(secret string) string {
	sum := s.tickets.Sum(secret)
	return hex.EncodeToString(sum[:])
}

func errNoSession() *fault.Error {
	return fault.New(fault.SessionRequired, "Sign in to the console first: API keys do not open it.")
}

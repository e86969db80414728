package access

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// User is a person who may sign in to the console.
type User struct {
	ID        string
	Email     string // lower case
	Password  string // argon2id, as a PHC string
	Admin     bool
	CreatedAt time.Time
}

// Principal is the user acting in a workspace.
func (u User) Principal(workspace string) Principal {
	return Principal{Workspace: workspace, User: u.ID, Admin: u.Admin}
}

// ErrExists says that a store already has a record of this name.
var ErrExists = errors.New("already exists")

// UserStore keeps people.
type UserStore interface {
	InsertUser(ctx context.Context, u User, e Entry) error // ErrExists for a known address
	// InsertFirstAdmin saves u and forgets the set-up link, or gives ErrExists
	// when an administrator is already there. Of two at once, one wins.
	InsertFirstAdmin(ctx context.Context, u User, e Entry) error
	UserByEmail(ctx context.Context, email string) (User, error)
	User(ctx context.Context, id string) (User, error)
	HasAdmin(ctx context.Context) (bool, error)
}

// CreateUser makes a person who may sign in.
func (s *Service) CreateUser(ctx context.Context, who Principal, email, password string, admin bool) (User, error) {
	if !who.Admin {
		return User{}, fault.New(fault.PermissionDenied, "Only an administrator adds people.")
	}
	u, err := s.newUser(ctx, email, password, admin)
	if err != nil {
		return User{}, err
	}
	err = s.store.InsertUser(ctx, u, s.userEntry(who.User, u))
	if errors.Is(err, ErrExists) {
		return User{}, fault.New(fault.InvalidParameter, "Somebody with the address %s is already here.", u.Email).With("field", "email")
	}
	return u, err
}

// HasAdmin reports whether somebody can administer this installation.
func (s *Service) HasAdmin(ctx context.Context) (bool, error) { return s.store.HasAdmin(ctx) }

// EnsureAdmin makes the administrator a container was configured with, unless
// there is one already, and reports whether it did.
func (s *Service) EnsureAdmin(ctx context.Context, email, password string) (bool, error) {
	if has, err := s.store.HasAdmin(ctx); has || err != nil {
		return false, err
	}
	u, err := s.newUser(ctx, email, password, true)
	if err != nil {
		return false, err
	}
	err = s.store.InsertFirstAdmin(ctx, u, s.userEntry("configuration", u))
	if errors.Is(err, ErrExists) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) newUser(ctx context.Context, email, password string, admin bool) (User, error) {
	address, err := normalEmail(email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(password); err != nil {
		return User{}, err
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return User{}, err
	}
	return User{ID: uid.New("usr"), Email: address, Password: hash, Admin: admin, CreatedAt: s.now()}, nil
}

func (s *Service) userEntry(actor string, u User) Entry {
	return Entry{
		ID: uid.New("aud"), At: s.now(), Actor: actor, Workspace: DefaultWorkspace,
		Action: "user.create", Target: u.ID, Detail: u.Email,
	}
}

func normalEmail(email string) (string, error) {
	a, err := mail.ParseAddress(strings.TrimSpace(email))
	if err != nil || a.Name != "" || len(a.Address) > 254 {
		return "", fault.New(fault.InvalidParameter, "%q is not an e-mail address.", email).With("field", "email")
	}
	return strings.ToLower(a.Address), nil
}

package access

import (
	"context"
	"errors"
	"time"

	"stele/internal/uid"
)

// User is a person who may sign in to the console.
type User struct {
	ID        string
	Email     string // lower case
	Password  string // argon2id, as a PHC string: of the way in that an administrator opened; a Visitor's is the one they came by
	Subject   string // who an identity provider says they are, "" where none did
	Admin     bool
	CreatedAt time.Time
	SeenAt    time.Time // zero: never signed in
}

// ErrExists says that a store already has a record of this name.
var ErrExists = errors.New("already exists")

// UserStore keeps who may sign in.
type UserStore interface {
	// InsertFirstAdmin saves u and forgets the set-up link, or gives ErrExists
	// when an administrator is already there. Of two at once, one wins.
	InsertFirstAdmin(ctx context.Context, u User, e Entry) error
	UserByEmail(ctx context.Context, email string) (User, error)
	UserBySubject(ctx context.Context, subject string) (User, error)
	UserByID(ctx context.Context, id string) (User, error)
	HasAdmin(ctx context.Context) (bool, error)
	// Passwords lists every password by which a visitor may become this person.
	Passwords(ctx context.Context, user string) ([]Login, error)
}

// HasAdmin reports whether a person can administer this installation.
func (s *Service) HasAdmin(ctx context.Context) (bool, error) { return s.store.HasAdmin(ctx) }

// EnsureAdmin makes the administrator a container was configured with, unless
// there is one already, and reports whether it did.
func (s *Service) EnsureAdmin(ctx context.Context, email, password string) (bool, error) {
	if has, err := s.store.HasAdmin(ctx); has || err != nil {
		return false, err
	}
	u, err := s.newAdmin(ctx, email, password)
	if err != nil {
		return false, err
	}
	err = s.store.InsertFirstAdmin(ctx, u, s.userEntry("configuration", u))
	if errors.Is(err, ErrExists) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) newAdmin(ctx context.Context, email, password string) (User, error) {
	address, err := normalEmail(email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(password); err != nil {
		return User{}, err
	}
	hash, err := s.hashPassword(ctx, ourselves, password)
	if err != nil {
		return User{}, err
	}
	return User{ID: uid.New("usr"), Email: address, Password: hash, Admin: true, CreatedAt: s.now()}, nil
}

func (s *Service) userEntry(actor string, u User) Entry {
	return s.note(Principal{User: actor, Workspace: DefaultWorkspace}, "user.create", u.ID, u.Email)
}

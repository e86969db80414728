package access

import (
	"context"
	"errors"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// Person is a user as one workspace knows them.
type Person struct {
	User

	Role      Role    // there; "" where they do not belong to it
	Elsewhere int     // how many other workspaces they belong to
	Sessions  int     // browsers in which they are signed in there
	Open      int     // how many logins open the workspace to them
	Factors   int     // second factors they have
	Link      Link    // by which they may choose a password
	Logins    []Login // of theirs; only UpdatePerson knows and InsertPerson takes them
}

// Link lets a person choose a password once. The zero Link is none.
type Link struct {
	Hash      string // keyed hash of its secret, hexadecimal
	Until     time.Time
	Via       string // the login that it sets up
	Workspace string // where it lets them in
	Rescue    bool   // made on the command line: signs an administrator in without any password
}

// Left is who remains without the person who is being changed.
type Left struct {
	Owners int // of the workspace, administrators not counted
	Admins int
}

// Settled is what a change of a person writes beside the person themself.
type Settled struct {
	Entry  Entry   // without an action nothing is written
	End    bool    // their sessions end,
	Via    *string // only those of this login,
	But    string  // except this one
	Afresh bool    // their second factors, sessions and known browsers end
	Gone   bool    // nothing is left of them
}

// PersonStore keeps who may do what.
type PersonStore interface {
	// InsertPerson saves a user with a role in a workspace and a link, where they
	// have them, or gives ErrExists for a known address.
	InsertPerson(ctx context.Context, workspace string, p Person, e Entry) error
	// People lists who has a role in a workspace, and the administrators, by address;
	// for "" all people there are, with the roles left out.
	People(ctx context.Context, workspace string) ([]Person, error)
	// LoosePeople lists the first of those who belong nowhere, by address.
	LoosePeople(ctx context.Context, limit int) ([]Person, error)
	// UpdatePerson hands a person to change and saves what it made of the rights,
	// password, subject, logins and link. What belonged to a login that is gone goes
	// with it. Such changes wait for each other.
	UpdatePerson(ctx context.Context, workspace, id string, change func(*Person, Left) (Settled, error)) (Person, error)
	// ByLink finds whose link this is, however old it is.
	ByLink(ctx context.Context, hash string) (Person, error)
}

// NewPerson is what AddPerson is asked for.
type NewPerson struct {
	Email    string
	Role     Role
	Password string // "": they choose one by a link
}

// People lists who belongs to the workspace of who, administrators included.
func (s *Service) People(ctx context.Context, who Principal) ([]Person, error) {
	if !who.may(Owner, who.Workspace) {
		return nil, errNotOwner()
	}
	if err := s.forgetSessions(ctx); err != nil { // they would be counted
		return nil, err
	}
	return s.store.People(ctx, who.Workspace)
}

// Accounts lists the people who may sign in. Their roles are left out.
func (s *Service) Accounts(ctx context.Context, who Principal) ([]Person, error) {
	if !who.Admin {
		return nil, errNotAdmin()
	}
	return s.store.People(ctx, "")
}

// Account finds an account by its address or id.
func (s *Service) Account(ctx context.Context, who Principal, name string) (Person, error) {
	all, err := s.Accounts(ctx, who)
	if err != nil {
		return Person{}, err
	}
	address, err := normalEmail(name)
	for _, p := range all {
		if p.ID == name || (err == nil && p.Email == address) {
			return p, nil
		}
	}
	return Person{}, ErrNotFound
}

// Loose lists the first hundred of those who may sign in and belong to no workspace.
func (s *Service) Loose(ctx context.Context, who Principal) ([]Person, error) {
	if !who.Admin {
		return nil, errNotAdmin()
	}
	return s.store.LoosePeople(ctx, 100)
}

// AddPerson lets a person into the workspace of who. It returns the secret of a
// link for each person who has not proven to this workspace that the address is
// theirs; until it is followed the role is worth nothing. None is needed by people
// whom an administrator or the identity provider vouches for.
func (s *Service) AddPerson(ctx context.Context, who Principal, n NewPerson) (Person, string, error) {
	if !who.may(Owner, who.Workspace) {
		return Person{}, "", errNotOwner()
	}
	if err := checkRole(n.Role); err != nil {
		return Person{}, "", err
	}
	if n.Role == Administrator && !who.Admin {
		return Person{}, "", errNotAdmin()
	}
	address, err := normalEmail(n.Email)
	if err != nil {
		return Person{}, "", err
	}
	if err := s.checkRoom(ctx, who); err != nil {
		return Person{}, "", err
	}
	known, err := s.store.UserByEmail(ctx, address)
	if err == nil {
		return s.takeIn(ctx, who, known, n)
	}
	if !errors.Is(err, ErrNotFound) {
		return Person{}, "", err
	}
	p := Person{User: User{ID: uid.New("usr"), Email: address, Admin: n.Role == Administrator, CreatedAt: s.now()}}
	if !p.Admin {
		p.Role = n.Role
	}
	secret, err := s.firstPassword(ctx, who, &p, n.Password)
	if err != nil {
		return Person{}, "", err
	}
	err = s.store.InsertPerson(ctx, who.Workspace, p, s.note(who, "user.create", p.ID, p.Email))
	if errors.Is(err, ErrExists) {
		return Person{}, "", errKnown(p.Email)
	}
	return p, secret, err
}

// mostPeople is how many people an owner may bring into a workspace: pages show all of
// them. Administrators and single sign-on bring as many as there are.
const mostPeople = 1000

// checkRoom refuses one more person where an owner has brought in as many as a workspace has room for.
func (s *Service) checkRoom(ctx context.Context, who Principal) error {
	if who.Admin {
		return nil
	}
	people, err := s.store.People(ctx, who.Workspace)
	if err == nil && len(people) >= mostPeople {
		return fault.New(fault.PermissionDenied, "This workspace has %d people: an administrator can add more.", len(people))
	}
	return err
}

// firstPassword gives p the password, or a link to choose one, and returns the
// link's secret.
func (s *Service) firstPassword(ctx context.Context, who Principal, p *Person, password string) (string, error) {
	if password == "" {
		return s.newLink(who, p), nil
	}
	if s.SignInRules().SSOOnly && who.User != commandLine {
		return "", errSSOOnly()
	}
	err := checkPassword(password)
	if err != nil {
		return "", err
	}
	hash, err := s.hashPassword(ctx, ourselves, password)
	p.setLogin(who.via(), hash)
	return "", err
}

// takeIn gives a person who has an account a role in the workspace. A link that
// was made before is void: who made it must not come along. So is what another
// workspace's link has set up, as far as this one is concerned.
func (s *Service) takeIn(ctx context.Context, who Principal, u User, n NewPerson) (Person, string, error) {
	var secret string
	p, err := s.store.UpdatePerson(ctx, who.Workspace, u.ID, func(p *Person, _ Left) (Settled, error) {
		if n.Password != "" || p.Admin || p.Role != "" {
			return Settled{}, errKnown(u.Email)
		}
		if n.Role == Administrator {
			p.Admin = true
		} else {
			p.Role = n.Role
		}
		p.closes(who.Workspace)
		if p.Link = (Link{}); p.Password == "" && p.Subject == "" {
			secret = s.newLink(who, p)
		}
		return Settled{Entry: s.note(who, "user.add", u.ID, u.Email)}, nil
	})
	return p, secret, err
}

// changePerson runs a change of a person who belongs to the workspace of who. One
// of another workspace is as one who does not exist, but for administrators.
func (s *Service) changePerson(ctx context.Context, who Principal, id string, change func(*Person, Left) (Settled, error)) (Person, error) {
	if !who.may(Owner, who.Workspace) {
		return Person{}, errNotOwner()
	}
	return s.store.UpdatePerson(ctx, who.Workspace, id, func(p *Person, left Left) (Settled, error) {
		if p.Role == "" && !p.Admin && !who.Admin {
			return Settled{}, ErrNotFound
		}
		if p.Admin && !who.Admin {
			return Settled{}, fault.New(fault.PermissionDenied, "%s is an administrator: only an administrator changes that.", p.Email)
		}
		return change(p, left)
	})
}

func errNotOwner() *fault.Error {
	return fault.New(fault.PermissionDenied, "Only an owner of the workspace manages its people.")
}

func errNotAdmin() *fault.Error {
	return fault.New(fault.PermissionDenied, "Only an administrator may do this.")
}

func errKnown(email string) *fault.Error {
	return fault.New(fault.InvalidParameter, "Somebody with the address %s is already here.", email).Field("email")
}

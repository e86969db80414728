package access

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"stele/internal/fault"
	"stele/internal/uid"
)

// The kinds of second factor.
const (
	Passkey  = "passkey"
	TOTP     = "totp"     // six digits from an authenticator app
	Recovery = "recovery" // codes on paper, each good once; no factor by themselves
)

const (
	recoveryCodes = 10
	mostPasskeys  = 20
	stepLength    = 30 // seconds of one TOTP code
)

// Factor is something a person has besides the password.
type Factor struct {
	ID        string
	User      string
	Via       string // the login it belongs to
	Kind      string
	Name      string
	Lookup    string // keyed hash by which it is found: of a passkey's id, of a recovery code
	Sealed    []byte // the secret, or the passkey
	Step      int64  // of TOTP, the last that was used
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
	Session   string    // in which it is set up; InsertFactors looks at it and does not keep it
}

// FactorStore keeps second factors.
type FactorStore interface {
	// InsertFactors saves new ones, after those of replace's kinds that the login of
	// the first one has are gone. Where their session has ended it gives ErrNotFound.
	InsertFactors(ctx context.Context, factors []Factor, replace []string, e Entry) error
	// Factors lists those of a login, the oldest first.
	Factors(ctx context.Context, user, via string) ([]Factor, error)
	FactorByLookup(ctx context.Context, kind, lookup string) (Factor, error)
	// UseFactor saves what a use changed if its step is later than the one kept, and
	// reports whether it was.
	UseFactor(ctx context.Context, f Factor) (bool, error)
	// SpendTicket notes that a ticket was brought back, and reports whether it was not before. It is
	// known until then.
	SpendTicket(ctx context.Context, id string, now, until time.Time) (bool, error)
	// DeleteFactor deletes one of a person's and reports whether it was there. With the
	// last factor of a login its recovery codes go.
	DeleteFactor(ctx context.Context, user, id string, e Entry) (bool, error)
	// DeleteFactors deletes all of a person's, ends their sessions and says how many
	// they were.
	DeleteFactors(ctx context.Context, user string, e Entry) (int, error)
}

// Security is what a person has set up to sign in.
type Security struct {
	Password bool
	Passkeys []Factor
	App      *Factor // the authenticator app, nil for none
	Codes    int     // recovery codes that are left
}

// Security tells what the visitor has set up.
func (s *Service) Security(ctx context.Context, v Visitor) (Security, error) {
	has := Security{Password: v.User.Password != ""}
	factors, err := s.store.Factors(ctx, v.User.ID, v.Session.Via)
	for _, f := range factors {
		switch f.Kind {
		case Passkey:
			has.Passkeys = append(has.Passkeys, f)
		case TOTP:
			has.App = &f
		case Recovery:
			has.Codes++
		}
	}
	return has, err
}

// AppSecret is the secret an authenticator app is to be given, before it was tried.
type AppSecret struct {
	Ticket string // brings it back to AddApp
	Text   string // what a person may type
	URL    string // otpauth://
}

// NewApp makes a secret for the visitor's authenticator app. Nothing is kept yet.
func (s *Service) NewApp(v Visitor) (AppSecret, error) {
	if v.Session.Method == MethodRescue {
		return AppSecret{}, errRescued()
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Stele", AccountName: v.User.Email, Algorithm: otp.AlgorithmSHA1})
	if err != nil {
		return AppSecret{}, err
	}
	return s.appSecret(v, key.Secret())
}

func (s *Service) appSecret(v Visitor, secret string) (AppSecret, error) {
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return AppSecret{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Stele", AccountName: v.User.Email, Secret: raw})
	if err != nil {
		return AppSecret{}, err
	}
	ticket, err := s.sealTicket(ticketFor{Purpose: "app", User: v.User.ID, Via: v.Session.Via, State: []byte(secret)})
	return AppSecret{Ticket: ticket, Text: secret, URL: key.URL()}, err
}

// AddApp takes an authenticator app that shows the right code, in the place of any
// before. With their first factor people get recovery codes, shown once. A wrong
// code gives the secret back, to try again.
func (s *Service) AddApp(ctx context.Context, v Visitor, ticket, code string) (codes []string, again AppSecret, err error) {
	t, err := s.openOwnTicket(v, "app", ticket)
	if err != nil {
		return nil, AppSecret{}, err
	}
	again, err = s.appSecret(v, string(t.State))
	if err != nil {
		return nil, AppSecret{}, err
	}
	step, ok := s.codeStep(string(t.State), code, 0)
	if !ok {
		return nil, again, fault.New(fault.InvalidParameter, "This is not the code that the app shows now.").Field("code")
	}
	f := s.newFactor(v, TOTP, "Authenticator app")
	f.Sealed, f.Step = s.box.Seal(t.State), step
	codes, err = s.addFactor(ctx, v, f, TOTP)
	return codes, again, err
}

// NewRecoveryCodes makes new ones in the place of those before.
func (s *Service) NewRecoveryCodes(ctx context.Context, v Visitor) ([]string, error) {
	if v.Factors == 0 {
		return nil, fault.New(fault.InvalidParameter, "Set up a passkey or an authenticator app first.")
	}
	codes, factors := s.makeCodes(v)
	err := s.saveFactors(ctx, factors, []string{Recovery}, s.note(v.Principal(), "user.recovery_codes", v.User.ID, v.User.Email))
	return codes, err
}

// RemoveFactor takes one of the visitor's own factors away.
func (s *Service) RemoveFactor(ctx context.Context, v Visitor, id string) error {
	own, err := s.store.Factors(ctx, v.User.ID, v.Session.Via)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(own, func(f Factor) bool { return f.ID == id && f.Kind != Recovery })
	if i < 0 {
		return ErrNotFound
	}
	found, err := s.store.DeleteFactor(ctx, v.User.ID, id, s.note(v.Principal(), "user.factor_remove", v.User.ID, own[i].Name))
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// ResetFactors takes all second factors from a person who has lost them, and signs
// them out. Only administrators do.
func (s *Service) ResetFactors(ctx context.Context, who Principal, id string) (Person, error) {
	if !who.Admin {
		return Person{}, errNotAdmin()
	}
	p, err := s.changePerson(ctx, who, id, func(*Person, Left) (Settled, error) { return Settled{}, nil })
	if err != nil {
		return Person{}, err
	}
	home, _, err := s.store.HomeOf(ctx, id, "")
	if err != nil {
		return Person{}, err
	}
	e := s.note(who, "user.factor_reset", p.ID, p.Email)
	if p.Role == "" && !p.Admin {
		e.Workspace = home
	}
	_, err = s.store.DeleteFactors(ctx, id, e)
	return p, err
}

// addFactor saves a factor, with recovery codes beside the first one.
func (s *Service) addFactor(ctx context.Context, v Visitor, f Factor, replace ...string) ([]string, error) {
	if v.Session.Method == MethodRescue {
		return nil, errRescued()
	}
	has, err := s.Security(ctx, v)
	if err != nil {
		return nil, err
	}
	if len(has.Passkeys) >= mostPasskeys {
		return nil, fault.New(fault.InvalidParameter, "A person has at most %d passkeys.", mostPasskeys).Field("name")
	}
	factors, codes := []Factor{f}, []string(nil)
	if has.Codes == 0 {
		var more []Factor
		codes, more = s.makeCodes(v)
		factors = append(factors, more...)
	}
	err = s.saveFactors(ctx, factors, replace, s.note(v.Principal(), "user.factor_add", v.User.ID, f.Name))
	if errors.Is(err, ErrExists) {
		return nil, fault.New(fault.InvalidParameter, "This passkey is known already.").Field("name")
	}
	return codes, err
}

// saveFactors saves what a visitor has set up, unless they were signed out meanwhile.
func (s *Service) saveFactors(ctx context.Context, factors []Factor, replace []string, e Entry) error {
	err := s.store.InsertFactors(ctx, factors, replace, e)
	if errors.Is(err, ErrNotFound) {
		return errLeft()
	}
	return err
}

func (s *Service) newFactor(v Visitor, kind, name string) Factor {
	return Factor{ID: uid.New("fac"), User: v.User.ID, Via: v.Session.Via, Kind: kind, Name: name, CreatedAt: s.now(), Session: v.Session.ID}
}

// makeCodes makes recovery codes: 50 random bits each, so a keyed hash of them is enough.
func (s *Service) makeCodes(v Visitor) ([]string, []Factor) {
	codes, factors := make([]string, recoveryCodes), make([]Factor, recoveryCodes)
	for i := range codes {
		raw := make([]byte, 7)
		rand.Read(raw)
		text := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))[:10]
		codes[i] = text[:5] + "-" + text[5:]
		factors[i] = s.newFactor(v, Recovery, "Recovery code")
		factors[i].Lookup = s.codeLookup(v.User.ID, v.Session.Via, codes[i])
	}
	return codes, factors
}

func (s *Service) codeLookup(user, via, code string) string {
	return s.ticket("recovery " + user + " " + via + " " + plainCode(code))
}

// plainCode is a code without what people put between its characters.
func plainCode(code string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, cut(code, 64)))
}

// codeStep finds the step of a TOTP code, now or one before or after, if it is
// later than the last that was used.
func (s *Service) codeStep(secret, code string, last int64) (int64, bool) {
	code = plainCode(code)
	now := s.now().Unix() / stepLength
	for step := now - 1; step <= now+1; step++ {
		want, err := totp.GenerateCode(secret, time.Unix(step*stepLength, 0))
		if err == nil && sameText(want, code) && step > last {
			return step, true
		}
	}
	return 0, false
}

func errRescued() *fault.Error {
	return fault.New(fault.PermissionDenied, "You came by a link for emergencies. Choose a password, or sign in through your organisation, to set this up.")
}

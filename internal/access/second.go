package access

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// stepLife is how long a person may take between two steps.
const stepLife = 10 * time.Minute

// SecondStep says that a person has proven the first half of who they are. The
// ticket is for their browser to bring back with the second.
type SecondStep struct{ Ticket string }

// Error implements error.
func (*SecondStep) Error() string { return "a second factor is needed" }

// ticketFor is what a browser keeps between two steps, sealed.
type ticketFor struct {
	Purpose string    `json:"purpose"`
	ID      string    `json:"id"` // taken once, where that matters
	User    string    `json:"user"`
	Via     string    `json:"via"`
	Method  string    `json:"method"`
	Proof   string    `json:"proof"` // keyed hash of the password that was right; another one ends the ticket
	State   []byte    `json:"state"`
	Until   time.Time `json:"until"`

	password string // whose keyed hash Proof is, once it was found
}

func (s *Service) sealTicket(t ticketFor) (string, error) {
	if t.ID = uid.Secret(12); t.Until.IsZero() {
		t.Until = s.now().Add(stepLife)
	}
	return s.box.SealText(t)
}

func (s *Service) openTicket(purpose, text string) (ticketFor, error) {
	var t ticketFor
	if len(text) > 128<<10 || s.box.OpenText(text, &t) != nil || t.Purpose != purpose || !s.now().Before(t.Until) {
		return ticketFor{}, TooLate()
	}
	return t, nil
}

// openOwnTicket opens a ticket of the visitor's own.
func (s *Service) openOwnTicket(v Visitor, purpose, text string) (ticketFor, error) {
	t, err := s.openTicket(purpose, text)
	if err != nil || t.User != v.User.ID || t.Via != v.Session.Via {
		return ticketFor{}, TooLate()
	}
	return t, nil
}

// openOrAsk opens a session for a person who has given a right password, or asks
// for their second factor.
func (s *Service) openOrAsk(ctx context.Context, u User, a arrival) (Visitor, string, error) {
	factors, err := s.store.Factors(ctx, u.ID, a.via)
	if err != nil {
		return Visitor{}, "", err
	}
	if len(factors) == 0 {
		return s.open(ctx, u, a)
	}
	ticket, err := s.sealTicket(ticketFor{Purpose: "second", User: u.ID, Via: a.via, Method: a.method, Proof: s.ticket("proof " + a.proof.Password)})
	if err != nil {
		return Visitor{}, "", err
	}
	return Visitor{}, "", &SecondStep{Ticket: ticket}
}

// Second is what can be asked for in the second step of a sign-in.
type Second struct {
	Email   string
	Passkey bool
	App     bool
}

// Second tells what the holder of a ticket may prove themself with.
func (s *Service) Second(ctx context.Context, ticket string) (Second, error) {
	_, p, factors, err := s.second(ctx, ticket)
	if err != nil {
		return Second{}, err
	}
	asked := Second{Email: p.Email}
	for _, f := range factors {
		asked.Passkey = asked.Passkey || f.Kind == Passkey
		asked.App = asked.App || f.Kind == TOTP
	}
	return asked, nil
}

// second opens a ticket of the second step, if the password it stands for still counts.
func (s *Service) second(ctx context.Context, ticket string) (ticketFor, User, []Factor, error) {
	t, err := s.openTicket("second", ticket)
	if err != nil {
		return t, User{}, nil, err
	}
	if s.SignInRules().SSOOnly {
		return t, User{}, nil, errSSOOnly()
	}
	if t.password, err = s.stillProven(ctx, t); err != nil {
		return t, User{}, nil, err
	}
	u, err := s.store.UserByID(ctx, t.User)
	if err != nil {
		return t, User{}, nil, err
	}
	factors, err := s.store.Factors(ctx, t.User, t.Via)
	return t, u, factors, err
}

// stillProven is the password that a ticket stands for, by its hash. One that was
// changed meanwhile is refused.
func (s *Service) stillProven(ctx context.Context, t ticketFor) (string, error) {
	sets, err := s.store.Passwords(ctx, t.User)
	if err != nil {
		return "", err
	}
	for _, set := range sets {
		if set.Via == t.Via && sameText(s.ticket("proof "+set.Password), t.Proof) {
			return set.Password, nil
		}
	}
	return "", TooLate()
}

// SecondByCode finishes a sign-in with a code of the authenticator app, or with a
// recovery code, which is spent then.
func (s *Service) SecondByCode(ctx context.Context, ticket, code string, from Browser) (Visitor, string, error) {
	t, u, factors, err := s.second(ctx, ticket)
	if err != nil {
		return Visitor{}, "", err
	}
	try, err := s.secondTry(ctx, t.User, t.Via, from)
	if err != nil {
		return Visitor{}, "", err
	}
	ok, err := s.codeIsRight(ctx, factors, code, true)
	if err != nil {
		return Visitor{}, "", err
	}
	if !ok {
		if err := s.noteRefusal(ctx, true, u, u.Email, from); err != nil {
			return Visitor{}, "", err
		}
		return Visitor{}, "", errWrongCode()
	}
	if err := s.throttle.forgive(ctx, try); err != nil {
		return Visitor{}, "", err
	}
	return s.open(ctx, u, arrival{via: t.Via, method: t.Method, from: from, proof: Proof{Password: t.password}})
}

// secondTry counts a try at a second factor, or says how long to wait for it. Only
// who knows the password comes this far, so no stranger can use them up.
func (s *Service) secondTry(ctx context.Context, user, via string, from Browser) (attempt, error) {
	device, err := s.findDevice(ctx, user, from.Device)
	if err != nil {
		return attempt{}, err
	}
	device = cmp.Or(device, "any") // a thousand machines have no more tries than one
	try := attempt{account: "second " + user + " " + via, device: device}
	return try, s.begin(ctx, try)
}

// codeIsRight checks a code against what a login has, and spends it.
func (s *Service) codeIsRight(ctx context.Context, factors []Factor, code string, recovery bool) (bool, error) {
	for _, f := range factors {
		switch f.Kind {
		case TOTP:
			secret, err := s.box.Open(f.Sealed)
			if err != nil {
				return false, err
			}
			step, ok := s.codeStep(string(secret), code, f.Step)
			if !ok {
				continue
			}
			f.Step, f.UsedAt = step, s.now()
			return s.store.UseFactor(ctx, f)
		case Recovery:
			if !recovery || !sameText(f.Lookup, s.codeLookup(f.User, f.Via, code)) {
				continue
			}
			home, _, err := s.store.HomeOf(ctx, f.User, f.Via)
			if err != nil {
				return false, err
			}
			e := s.note(Principal{User: f.User, Workspace: home}, "user.recovery_code", f.User, "")
			return s.store.DeleteFactor(ctx, f.User, f.ID, e)
		}
	}
	return false, nil
}

// Confirm proves again who the visitor is, with their password or a code.
func (s *Service) Confirm(ctx context.Context, v Visitor, password, code string) error {
	if code != "" {
		factors, err := s.store.Factors(ctx, v.User.ID, v.Session.Via)
		if err != nil {
			return err
		}
		try := attempt{account: "second " + v.User.ID + " " + v.Session.Via, device: v.Session.ID}
		if err := s.begin(ctx, try); err != nil {
			return err
		}
		ok, err := s.codeIsRight(ctx, factors, code, false)
		if err != nil {
			return err
		}
		if !ok {
			return errWrongCode()
		}
		if err := s.throttle.forgive(ctx, try); err != nil {
			return err
		}
		return s.store.ProveSession(ctx, v.Session.ID, s.now())
	}
	if v.User.Password == "" {
		return fault.New(fault.InvalidParameter, "You have no password. Sign in through your organisation again.").Field("current")
	}
	if err := s.checkOwnPassword(ctx, v, password); err != nil {
		return err
	}
	return s.store.ProveSession(ctx, v.Session.ID, s.now())
}

// TooLate says that a person took longer for a step than they have.
func TooLate() *fault.Error {
	return fault.New(fault.PermissionDenied, "That took too long. Begin again.")
}

func errWrongCode() *fault.Error {
	return fault.New(fault.InvalidParameter, "This code is wrong, or was used before.").Field("code")
}

func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// spend takes a ticket, unless it was brought to any server before.
func (s *Service) spend(ctx context.Context, t ticketFor) error {
	first, err := s.store.SpendTicket(ctx, t.ID, s.now(), t.Until)
	if err == nil && !first {
		err = errBadPasskey(errors.New("its ticket was brought before"))
	}
	return err
}

// keptLife is how long what a person had filled in is kept for them.
const keptLife = time.Hour

// Keep seals what the visitor was about to send somewhere, for their browser to
// bring back: no other person can read it or use it, nor is it of use elsewhere.
func (s *Service) Keep(v Visitor, where string, what []byte) (string, error) {
	return s.sealTicket(ticketFor{
		Purpose: "kept " + where, User: v.User.ID, Via: v.Session.Via, State: what, Until: s.now().Add(keptLife),
	})
}

// Unkeep opens what Keep has sealed.
func (s *Service) Unkeep(v Visitor, where, kept string) ([]byte, error) {
	t, err := s.openOwnTicket(v, "kept "+where, kept)
	return t.State, err
}

// formLife is how long a form is known that was sent.
const formLife = 24 * time.Hour

// TakeForm notes that a person's form has come, by the name that their browser gave it, and reports
// whether it had not before, on any server.
func (s *Service) TakeForm(ctx context.Context, v Visitor, name string) (bool, error) {
	return s.store.SpendTicket(ctx, "form "+v.User.ID+" "+name, s.now(), s.now().Add(formLife))
}

package access

import (
	"context"
	"errors"
	"strings"

	"stele/internal/access/passkey"
	"stele/internal/fault"
)

// Question is what a browser is asked to sign, and the ticket it brings back with
// the answer.
type Question struct {
	Options []byte // JSON, as WebAuthn has it
	Ticket  string
}

// AskNewPasskey asks the visitor's browser to make a passkey.
func (s *Service) AskNewPasskey(ctx context.Context, v Visitor, at passkey.Party) (Question, error) {
	if v.Session.Method == MethodRescue {
		return Question{}, errRescued()
	}
	h, err := s.holder(ctx, v.User, v.Session.Via)
	if err != nil {
		return Question{}, err
	}
	options, state, err := at.Make(h)
	if err != nil {
		return Question{}, err
	}
	return s.question(options, ticketFor{Purpose: "new passkey", User: v.User.ID, Via: v.Session.Via, State: state})
}

// AddPasskey takes the passkey that the visitor's browser has made. With their
// first factor people get recovery codes, shown once.
func (s *Service) AddPasskey(ctx context.Context, v Visitor, at passkey.Party, ticket, name string, answer []byte) ([]string, error) {
	t, err := s.openOwnTicket(v, "new passkey", ticket)
	if err != nil {
		return nil, err
	}
	h, err := s.holder(ctx, v.User, v.Session.Via)
	if err != nil {
		return nil, err
	}
	key, err := at.CheckMade(h, t.State, answer)
	if err != nil {
		return nil, errBadPasskey(err)
	}
	if err := s.spend(ctx, t); err != nil {
		return nil, err
	}
	if name = strings.TrimSpace(name); name == "" {
		name = "Passkey"
	}
	f := s.newFactor(v, Passkey, cut(name, 60))
	f.Lookup, f.Sealed = s.passkeyLookup(key.ID), s.box.Seal(key.Data)
	return s.addFactor(ctx, v, f)
}

// AskPasskey asks for a passkey: any of this site for "", or one of the person who
// holds a ticket of the second step.
func (s *Service) AskPasskey(ctx context.Context, at passkey.Party, second string) (Question, error) {
	if s.SignInRules().SSOOnly {
		return Question{}, errSSOOnly()
	}
	if second == "" {
		options, state, err := at.Ask(nil)
		if err != nil {
			return Question{}, err
		}
		return s.question(options, ticketFor{Purpose: "passkey", State: state})
	}
	t, u, _, err := s.second(ctx, second)
	if err != nil {
		return Question{}, err
	}
	return s.ask(ctx, at, u, ticketFor{Purpose: "second passkey", Via: t.Via, Method: t.Method, Proof: t.Proof})
}

// AskOwnPasskey asks the visitor to prove again who they are.
func (s *Service) AskOwnPasskey(ctx context.Context, v Visitor, at passkey.Party) (Question, error) {
	return s.ask(ctx, at, v.User, ticketFor{Purpose: "own passkey", Via: v.Session.Via})
}

func (s *Service) ask(ctx context.Context, at passkey.Party, u User, t ticketFor) (Question, error) {
	h, err := s.holder(ctx, u, t.Via)
	if err != nil {
		return Question{}, err
	}
	if len(h.Keys) == 0 {
		return Question{}, fault.New(fault.InvalidParameter, "There is no passkey to ask for.")
	}
	options, state, err := at.Ask(&h)
	if err != nil {
		return Question{}, err
	}
	t.User, t.State = u.ID, state
	return s.question(options, t)
}

// SignInByPasskey opens a session for who has signed with a passkey: instead of a
// password, where the passkey has recognised its person, or as the second step.
func (s *Service) SignInByPasskey(ctx context.Context, at passkey.Party, ticket string, answer []byte, from Browser) (Visitor, string, error) {
	if s.SignInRules().SSOOnly {
		return Visitor{}, "", errSSOOnly()
	}
	a := arrival{method: MethodPasskey, from: from}
	t, err := s.openTicket("passkey", ticket)
	if err != nil {
		if t, err = s.openTicket("second passkey", ticket); err != nil {
			return Visitor{}, "", err
		}
		a.method = t.Method
	}
	f, err := s.checkSignature(ctx, at, t, answer)
	if err != nil {
		return Visitor{}, "", err
	}
	a.proof.Factor = f.ID
	if t.Proof != "" {
		if a.proof.Password, err = s.stillProven(ctx, t); err != nil {
			return Visitor{}, "", err
		}
	}
	u, err := s.store.UserByID(ctx, f.User)
	if err != nil {
		return Visitor{}, "", err
	}
	a.via = f.Via
	return s.open(ctx, u, a)
}

// ConfirmByPasskey proves again who the visitor is.
func (s *Service) ConfirmByPasskey(ctx context.Context, v Visitor, at passkey.Party, ticket string, answer []byte) error {
	t, err := s.openTicket("own passkey", ticket)
	if err != nil || t.User != v.User.ID || t.Via != v.Session.Via {
		return TooLate()
	}
	if _, err := s.checkSignature(ctx, at, t, answer); err != nil {
		return err
	}
	return s.store.ProveSession(ctx, v.Session.ID, s.now())
}

// checkSignature checks what a browser has signed and finds the passkey it used.
func (s *Service) checkSignature(ctx context.Context, at passkey.Party, t ticketFor, answer []byte) (Factor, error) {
	var used Factor
	key, err := at.CheckSigned(func(id []byte) (passkey.Holder, error) {
		f, err := s.store.FactorByLookup(ctx, Passkey, s.passkeyLookup(id))
		if err != nil {
			return passkey.Holder{}, err
		}
		if t.User != "" && (f.User != t.User || f.Via != t.Via) {
			return passkey.Holder{}, errors.New("a passkey of another person")
		}
		used = f
		return s.holder(ctx, User{ID: f.User}, f.Via)
	}, t.State, answer)
	if err != nil {
		return Factor{}, errBadPasskey(err)
	}
	if err := s.spend(ctx, t); err != nil {
		return Factor{}, err
	}
	used.Sealed, used.UsedAt = s.box.Seal(key.Data), s.now()
	used.Step++
	_, err = s.store.UseFactor(ctx, used)
	return used, err
}

func (s *Service) question(options []byte, t ticketFor) (Question, error) {
	ticket, err := s.sealTicket(t)
	return Question{Options: options, Ticket: ticket}, err
}

// holder is a login as passkeys know it.
func (s *Service) holder(ctx context.Context, u User, via string) (passkey.Holder, error) {
	handle := s.tickets.Sum("passkeys of " + u.ID + " " + via)
	h := passkey.Holder{Handle: handle[:], Name: u.Email}
	factors, err := s.store.Factors(ctx, u.ID, via)
	if err != nil {
		return h, err
	}
	for _, f := range factors {
		if f.Kind != Passkey {
			continue
		}
		data, err := s.box.Open(f.Sealed)
		if err != nil {
			return h, err
		}
		h.Keys = append(h.Keys, data)
	}
	return h, nil
}

func (s *Service) passkeyLookup(id []byte) string { return s.ticket("passkey " + string(id)) }

func errBadPasskey(why error) *fault.Error {
	return fault.New(fault.PermissionDenied, "This passkey was not taken. Try again, or use another way.").Because(why)
}

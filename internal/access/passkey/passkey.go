// Package passkey speaks WebAuthn: it asks a browser to make a key or to sign with
// one, and checks what comes back. It keeps nothing and knows no people; what has
// to be remembered between two steps is handed out and taken back as bytes.
package passkey

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// answerTime is how long a person may take.
const answerTime = 5 * time.Minute

// What a browser may answer. Checking a signature takes as long as the square of its key, and a person
// who is signed in brings a key of their own: the largest that devices have, RSA of 4096 bits, is half of it.
const (
	mostAnswer = 16 << 10
	mostKey    = 1 << 10
)

// Party is the site that keys are made for.
type Party struct{ host, origin string }

// PartyAt is the site at an address, and whether browsers make keys for it: they
// do for a name over TLS, and for localhost, but never for a bare address.
func PartyAt(u *url.URL) (Party, bool) {
	host := u.Hostname()
	if host == "" || net.ParseIP(host) != nil || (u.Scheme != "https" && host != "localhost") {
		return Party{}, false
	}
	return Party{host: host, origin: u.Scheme + "://" + u.Host}, true
}

// Holder is who keys belong to.
type Holder struct {
	Handle []byte   // opaque, at most 64 bytes
	Name   string   // what the browser shows
	Keys   [][]byte // as CheckMade and CheckSigned gave them
}

// Key is a key that a browser has made or used.
type Key struct {
	ID   []byte // public, unique
	Data []byte // what to keep
}

// Make asks for a new key. state comes back to CheckMade.
func (p Party) Make(h Holder) (options, state []byte, err error) {
	w, user, err := p.open(h)
	if err != nil {
		return nil, nil, err
	}
	exclude := make([]protocol.CredentialDescriptor, len(user.keys))
	for i := range user.keys {
		exclude[i] = user.keys[i].Descriptor()
	}
	creation, session, err := w.BeginRegistration(user, webauthn.WithExclusions(exclude),
		webauthn.WithResidentKeyRequirement(protocol.ResidentKeyRequirementPreferred))
	if err != nil {
		return nil, nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return both(creation.Response, session)
}

// CheckMade checks the key that a browser has made.
func (p Party) CheckMade(h Holder, state, answer []byte) (Key, error) {
	w, user, err := p.open(h)
	if err != nil {
		return Key{}, err
	}
	session, err := resume(state, answer)
	if err != nil {
		return Key{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Key{}, fmt.Errorf("read new passkey: %w", err)
	}
	if n := len(parsed.Response.AttestationObject.AuthData.AttData.CredentialPublicKey); n > mostKey {
		return Key{}, fmt.Errorf("the passkey has %d bytes", n)
	}
	made, err := w.CreateCredential(user, session, parsed)
	if err != nil {
		return Key{}, fmt.Errorf("check new passkey: %w", err)
	}
	return toKey(made)
}

// resume reads the state that a question left, for an answer that is not too long.
func resume(state, answer []byte) (session webauthn.SessionData, err error) {
	if err := json.Unmarshal(state, &session); err != nil {
		return session, fmt.Errorf("read passkey state: %w", err)
	}
	if len(answer) > mostAnswer {
		return session, fmt.Errorf("the answer has %d bytes", len(answer))
	}
	return session, nil
}

// Ask asks for a signature of one of the holder's keys, or with nil of any key of
// this site that recognises its person.
func (p Party) Ask(h *Holder) (options, state []byte, err error) {
	w, user, err := p.open(*cmp.Or(h, new(Holder)))
	if err != nil {
		return nil, nil, err
	}
	var assertion *protocol.CredentialAssertion
	var session *webauthn.SessionData
	if h == nil {
		assertion, session, err = w.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	} else {
		assertion, session, err = w.BeginLogin(user)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return both(assertion.Response, session)
}

// CheckSigned checks a signature. find gives the holder of a key.
func (p Party) CheckSigned(find func(id []byte) (Holder, error), state, answer []byte) (Key, error) {
	w, _, err := p.open(Holder{})
	if err != nil {
		return Key{}, err
	}
	session, err := resume(state, answer)
	if err != nil {
		return Key{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Key{}, fmt.Errorf("read passkey: %w", err)
	}
	h, err := find(parsed.RawID)
	if err != nil {
		return Key{}, err
	}
	user, err := asUser(h)
	if err != nil {
		return Key{}, err
	}
	var used *webauthn.Credential
	if len(session.UserID) == 0 { // any key of this site
		used, err = w.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			if !bytes.Equal(handle, h.Handle) {
				return nil, errors.New("the key belongs to another person")
			}
			return user, nil
		}, session, parsed)
	} else {
		used, err = w.ValidateLogin(user, session, parsed)
	}
	if err != nil {
		return Key{}, fmt.Errorf("check passkey: %w", err)
	}
	if used.Authenticator.CloneWarning {
		return Key{}, errors.New("the passkey seems to have been copied: its counter went back")
	}
	return toKey(used)
}

func (p Party) open(h Holder) (*webauthn.WebAuthn, *holder, error) {
	w, err := webauthn.New(&webauthn.Config{
		RPID: p.host, RPDisplayName: "Stele", RPOrigins: []string{p.origin},
		AttestationPreference:  protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{UserVerification: protocol.VerificationPreferred},
		Timeouts: webauthn.TimeoutsConfig{
			Login:        webauthn.TimeoutConfig{Timeout: answerTime, TimeoutUVD: answerTime},
			Registration: webauthn.TimeoutConfig{Timeout: answerTime, TimeoutUVD: answerTime},
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("passkeys of %s: %w", p.host, err)
	}
	user, err := asUser(h)
	return w, user, err
}

func both(options any, session *webauthn.SessionData) ([]byte, []byte, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, nil, fmt.Errorf("write passkey options: %w", err)
	}
	state, err := json.Marshal(session)
	if err != nil {
		return nil, nil, fmt.Errorf("write passkey state: %w", err)
	}
	return text, state, nil
}

func toKey(c *webauthn.Credential) (Key, error) {
	c.Attestation = webauthn.CredentialAttestation{} // it is never looked at
	data, err := json.Marshal(c)
	if err != nil {
		return Key{}, fmt.Errorf("write passkey: %w", err)
	}
	return Key{ID: c.ID, Data: data}, nil
}

// holder is a Holder as the library wants it.
type holder struct {
	Holder

	keys []webauthn.Credential
}

func asUser(h Holder) (*holder, error) {
	user := &holder{Holder: h}
	for _, data := range h.Keys {
		var c webauthn.Credential
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, fmt.Errorf("read kept passkey: %w", err)
		}
		user.keys = append(user.keys, c)
	}
	return user, nil
}

// WebAuthnID implements webauthn.User.
func (h *holder) WebAuthnID() []byte { return h.Handle }

// WebAuthnName implements webauthn.User.
func (h *holder) WebAuthnName() string { return h.Name }

// WebAuthnDisplayName implements webauthn.User.
func (h *holder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials implements webauthn.User.
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

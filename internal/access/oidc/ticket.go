package oidc

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"stele/internal/seal"
	"stele/internal/uid"
)

// ticket is what the browser keeps while a person is at the provider. It is sealed:
// only we can read or make one.
type ticket struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Redirect string    `json:"redirect"`
	Next     string    `json:"next"`
	Until    time.Time `json:"until"`
}

func newTicket(redirect, next string, until time.Time) ticket {
	return ticket{
		State: uid.Secret(24), Nonce: uid.Secret(24), Verifier: oauth2.GenerateVerifier(),
		Redirect: redirect, Next: next, Until: until,
	}
}

func (t ticket) seal(box *seal.Box) (string, error) {
	plain, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(box.Seal(plain)), nil
}

func openTicket(box *seal.Box, text string) (ticket, error) {
	var t ticket
	if text == "" {
		return t, errors.New("there is no ticket")
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, err
	}
	plain, err := box.Open(sealed)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(plain, &t)
}

// claims are what the token says besides who it is for.
type claims struct {
	Email    string `json:"email"`
	Verified yes    `json:"email_verified"`
	AuthTime int64  `json:"auth_time"`
}

// yes is a fact that some providers write as text.
type yes bool

// UnmarshalJSON implements json.Unmarshaler.
func (y *yes) UnmarshalJSON(text []byte) error {
	*y = yes(strings.Trim(string(text), `"`) == "true")
	return nil
}

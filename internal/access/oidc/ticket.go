package oidc

import (
	"errors"
	"strings"
	"time"

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

func openTicket(box *seal.Box, text string) (t ticket, err error) {
	if text == "" {
		return t, errors.New("there is no ticket")
	}
	err = box.OpenText(text, &t)
	return t, err
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

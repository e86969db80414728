package page

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/fault"
)

// asked is what static/passkey.js hands to the browser, and brings back with a form.
type asked struct {
	Options jsontext.Value `json:"options"`
	Ticket  string         `json:"ticket"`
}

func (f *Frame) AskPasskey(w http.ResponseWriter, do func(at passkey.Party) (access.Question, error)) error {
	at, ok := f.Party()
	if !ok {
		return NoPasskeys()
	}
	q, err := do(at)
	if err != nil {
		return err
	}
	return WriteJSON(w, http.StatusOK, asked{Options: q.Options, Ticket: q.Ticket})
}

// Party is the site that passkeys are made for, and whether there can be any.
func (f *Frame) Party() (passkey.Party, bool) {
	if f.SSOOnly() {
		return passkey.Party{}, false
	}
	return passkey.PartyAt(f.PublicURL())
}

func NoPasskeys() *fault.Error {
	return fault.New(fault.NotFound, "Passkeys need a name and TLS: they do not work at this address.")
}

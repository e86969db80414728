package console

import (
	"net/http"

	"github.com/go-json-experiment/json"
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

func (c *Console) ask(w http.ResponseWriter, do func(at passkey.Party) (access.Question, error)) error {
	at, ok := c.party()
	if !ok {
		return errNoPasskeys()
	}
	q, err := do(at)
	if err != nil {
		return err
	}
	body, err := json.Marshal(asked{Options: q.Options, Ticket: q.Ticket})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
	return nil
}

// askPasskey asks somebody at the door for a passkey: for the second step where
// they are in it, else for any.
func (c *Console) askPasskey(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	ticket := ""
	if r.PostForm.Get("step") == "second" {
		if ticket = c.secondTicket(r); ticket == "" {
			return fault.New(fault.PermissionDenied, "That took too long. Begin again.")
		}
	}
	return c.ask(w, func(at passkey.Party) (access.Question, error) { return c.access.AskPasskey(r.Context(), at, ticket) })
}

// signInByPasskey lets somebody in who has signed with a passkey.
func (c *Console) signInByPasskey(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	at, ok := c.party()
	if !ok {
		return errNoPasskeys()
	}
	next := nextPage(r.PostForm.Get("next"))
	v, secret, err := c.access.SignInByPasskey(r.Context(), at, r.PostForm.Get("ticket"), []byte(r.PostForm.Get("answer")), c.browserOf(r))
	if _, problem, ok := tryAgain(w, r, err); ok {
		if r.PostForm.Get("step") == "second" {
			return c.secondPage(w, r, http.StatusUnauthorized, secondPage{Next: next, Problem: problem})
		}
		return c.signInPage(w, r, http.StatusUnauthorized, signInPage{Next: next, Problem: problem})
	}
	if err != nil {
		return err
	}
	return c.signedIn(w, r, v, secret, next)
}

// askNewPasskey asks the visitor's browser to make one.
func (c *Console) askNewPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.ask(w, func(at passkey.Party) (access.Question, error) { return c.access.AskNewPasskey(r.Context(), v, at) })
}

// askOwnPasskey asks the visitor to prove again who they are.
func (c *Console) askOwnPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.ask(w, func(at passkey.Party) (access.Question, error) { return c.access.AskOwnPasskey(r.Context(), v, at) })
}

func errNoPasskeys() *fault.Error {
	return fault.New(fault.NotFound, "Passkeys need a name and TLS: they do not work at this address.")
}

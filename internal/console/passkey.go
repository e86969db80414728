package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// askPasskey asks somebody at the door for a passkey: for the second step where
// they are in it, else for any.
func (c *Console) askPasskey(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	ticket := ""
	if r.PostForm.Get("step") == "second" {
		if ticket = c.secondTicket(r); ticket == "" {
			return fault.New(fault.PermissionDenied, "That took too long. Begin again.")
		}
	}
	return c.AskPasskey(w, func(at passkey.Party) (access.Question, error) { return c.access.AskPasskey(r.Context(), at, ticket) })
}

// signInByPasskey lets somebody in who has signed with a passkey.
func (c *Console) signInByPasskey(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	at, ok := c.Party()
	if !ok {
		return page.NoPasskeys()
	}
	next := page.NextPage(r.PostForm.Get("next"))
	v, secret, err := c.access.SignInByPasskey(r.Context(), at, r.PostForm.Get("ticket"), []byte(r.PostForm.Get("answer")), c.browserOf(r))
	if _, problem, ok := page.TryAgain(w, r, err); ok {
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

package console

import (
	"errors"
	"net/http"
	"net/url"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/console/page"
)

// secondPage asks for the second factor of a visitor whose password was right.
type secondPage struct {
	access.Second

	Next    string
	Problem string
	Keys    bool // passkeys work at this address
}

// askSecond sends the browser to the second step, if that is what an error says.
func (c *Console) askSecond(w http.ResponseWriter, r *http.Request, next string, err error) bool {
	step, ok := errors.AsType[*access.SecondStep](err)
	if ok {
		c.writeCookie(w, r, secondCookie, c.Base()+"/console/", step.Ticket, secondAge)
		_ = c.Redirect(w, r, "/console/signin/second?next="+url.QueryEscape(next))
	}
	return ok
}

func (c *Console) secondTicket(r *http.Request) string {
	return c.readCookie(r, secondCookie, c.Base()+"/console/")
}

func (c *Console) showSecond(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	return c.secondPage(w, r, http.StatusOK, secondPage{Next: page.NextPage(r.URL.Query().Get("next"))})
}

func (c *Console) secondPage(w http.ResponseWriter, r *http.Request, status int, p secondPage) error {
	var err error
	if p.Second, err = c.access.Second(r.Context(), c.secondTicket(r)); err != nil {
		c.writeCookie(w, r, secondCookie, c.Base()+"/console/", "", 0)
		return c.Redirect(w, r, "/console/signin?next="+url.QueryEscape(p.Next))
	}
	_, p.Keys = c.Party()
	return c.Render(w, r, status, "second", page.View{Title: "Second step", Data: p})
}

// second finishes a sign-in with a code.
func (c *Console) second(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	form := secondPage{Next: page.NextPage(r.PostForm.Get("next"))}
	v, secret, err := c.access.SecondByCode(r.Context(), c.secondTicket(r), r.PostForm.Get("code"), c.browserOf(r))
	if status, problem, ok := page.TryAgain(w, r, err); ok {
		form.Problem = problem
		return c.secondPage(w, r, status, form)
	}
	if err != nil {
		return err
	}
	return c.startSession(w, r, v, secret, form.Next)
}

// startSession gives the browser its new session in the place of any before.
func (c *Console) startSession(w http.ResponseWriter, r *http.Request, v access.Visitor, secret, next string) error {
	before, err := c.visitorOrNil(r)
	if err != nil {
		return err
	}
	if before != nil { // a browser has one session: the new one takes the old one's place
		if err := c.access.SignOut(r.Context(), *before); err != nil {
			return err
		}
	}
	if c.secondTicket(r) != "" {
		c.writeCookie(w, r, secondCookie, c.Base()+"/console/", "", 0)
	}
	c.letIn(w, r, v, secret)
	return c.Redirect(w, r, next)
}

// askPasskey asks a visitor at the door for a passkey: for the second step where
// they are in it, else for any.
func (c *Console) askPasskey(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	ticket := ""
	if r.PostForm.Get("step") == "second" {
		if ticket = c.secondTicket(r); ticket == "" {
			return access.TooLate()
		}
	}
	return c.AskPasskey(w, func(at passkey.Party) (access.Question, error) { return c.access.AskPasskey(r.Context(), at, ticket) })
}

// signInByPasskey lets a visitor in who has signed with a passkey.
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
	return c.startSession(w, r, v, secret, next)
}

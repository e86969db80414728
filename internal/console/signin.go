package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

type signInPage struct {
	Email   string
	Next    string
	Problem string
	Empty   bool   // no person can sign in yet: the set-up link was not followed
	SignOn  string // what the identity provider is called; "" where there is none
	Only    bool   // it is the only way in
	Keys    bool   // passkeys work at this address
}

func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	next := page.NextPage(r.URL.Query().Get("next"))
	v, err := c.visitorOrNil(r)
	if err != nil {
		return err
	}
	if v != nil {
		return c.Redirect(w, r, next)
	}
	return c.signInPage(w, r, http.StatusOK, signInPage{Next: next})
}

func (c *Console) signIn(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	form := signInPage{Email: r.PostForm.Get("email"), Next: page.NextPage(r.PostForm.Get("next"))}
	v, secret, err := c.access.SignIn(r.Context(), form.Email, r.PostForm.Get("password"), c.browserOf(r))
	if c.askSecond(w, r, form.Next, err) {
		return nil
	}
	status, problem, ok := page.TryAgain(w, r, err)
	switch {
	case err == nil:
		return c.startSession(w, r, v, secret, form.Next)
	case !ok:
		return err
	case fault.From(err).Code == fault.PermissionDenied:
		status = http.StatusUnauthorized
	}
	form.Problem = problem
	return c.signInPage(w, r, status, form)
}

func (c *Console) signInPage(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	has, err := c.access.HasAdmin(r.Context())
	if err != nil {
		return err
	}
	p.Empty = !has
	if c.signOn != nil {
		p.SignOn, p.Only = c.signOn.Name, c.access.SignInRules().SSOOnly
	}
	_, p.Keys = c.Party()
	return c.Render(w, r, status, "signin", page.View{Title: "Sign in", Data: p})
}

func (c *Console) signOut(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := c.access.SignOut(r.Context(), v); err != nil {
		return err
	}
	c.setCookie(w, r, "")
	return c.Redirect(w, r, "/console/signin")
}

// setCookie hands the browser its session, or takes it away for "". It lasts
// until the browser is closed; how long the session does is access's business.
func (c *Console) setCookie(w http.ResponseWriter, r *http.Request, secret string) {
	c.writeCookie(w, r, sessionCookie, c.Base()+"/", secret, 0)
}

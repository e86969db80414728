package console

import (
	"net/http"
	"net/url"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
)

// ask says when somebody has to prove again who they are.
type ask func(c *Console, r *http.Request, v access.Visitor) (bool, error)

// asks are the routes that make changes of consequence: who has not proven who
// they are within the last quarter of an hour is asked to, and then goes on where
// they were, with what they had filled in. A page with a form asks before it is
// filled in. A new route of this kind is one row.
var asks = map[string]ask{
	"POST /console/keys":             asProduction,
	"POST /console/keys/{id}":        ofProduction,
	"POST /console/keys/{id}/rotate": ofProduction,
	"POST /console/policy":           always,

	"POST /console/people":              always,
	"POST /console/people/{id}/role":    always,
	"POST /console/people/{id}/reset":   always,
	"POST /console/people/{id}/remove":  always,
	"POST /console/people/{id}/delete":  always,
	"POST /console/people/{id}/factors": always,

	"GET /console/providers/new":          always,
	"POST /console/providers":             always,
	"POST /console/providers/{id}":        always,
	"POST /console/providers/{id}/switch": always,
	"POST /console/providers/{id}/delete": always,

	"GET /console/security/app":                  always,
	"POST /console/security/app":                 always,
	"POST /console/security/codes":               always,
	"POST /console/security/passkeys/ask":        always,
	"POST /console/security/passkeys":            always,
	"POST /console/security/factors/{id}/remove": always,
}

// AsksAgain reports whether the route may ask somebody to prove again who they are.
func (r Route) AsksAgain() bool { return asks[r.Method+" "+r.Pattern] != nil }

func always(*Console, *http.Request, access.Visitor) (bool, error) { return true, nil }

// asProduction asks before a key of production is made.
func asProduction(_ *Console, r *http.Request, _ access.Visitor) (bool, error) {
	return r.PostForm.Get("environment") == string(access.Production), nil
}

// ofProduction asks before a key of production is changed.
func ofProduction(c *Console, r *http.Request, v access.Visitor) (bool, error) {
	keys, err := c.access.Keys(r.Context(), v.Principal(), "")
	if err != nil {
		return false, err
	}
	for _, k := range keys {
		if k.ID == r.PathValue("id") {
			return k.Environment == access.Production, nil
		}
	}
	return false, nil
}

// cleared reports whether somebody who is signed in may go on: who must have a
// second factor has one, and who makes a change of consequence has proven who they
// are not long ago. Else it has answered.
func (c *Console) cleared(w http.ResponseWriter, r *http.Request, route Route, v access.Visitor) (bool, error) {
	if c.access.NeedsFactor(v) && !opensWithoutFactor(route) {
		refusal := fault.New(fault.PermissionDenied, "Set up a second factor first, at %s/console/security.", c.base())
		if !wantsPage(r) || r.Method == http.MethodPost {
			return false, refusal
		}
		note(r, refusal)
		c.redirect(w, r, "/console/security")
		return false, nil
	}
	return c.confirmed(w, r, route, v)
}

// opensWithoutFactor are the pages on which a second factor is set up, and the way out.
func opensWithoutFactor(route Route) bool {
	for _, page := range []string{"/console/security", "/console/confirm", "/console/signout", "/console/password", "/console/workspace"} {
		if route.Pattern == page || strings.HasPrefix(route.Pattern, page+"/") {
			return true
		}
	}
	return false
}

const (
	keptField = "confirm_kept" // what was filled in, sealed
	mostKept  = 40 << 10       // of a form; larger ones are filled in again
)

// confirmed reports whether a route may go on. Else it has answered: with the way
// to prove again who the visitor is. A form that was kept meanwhile takes its place.
func (c *Console) confirmed(w http.ResponseWriter, r *http.Request, route Route, v access.Visitor) (bool, error) {
	need := asks[route.Method+" "+route.Pattern]
	if need == nil {
		return true, nil
	}
	if kept := r.PostForm.Get(keptField); kept != "" {
		text, err := c.access.Kept(v, r.URL.Path, kept)
		if err != nil {
			return false, err
		}
		if r.PostForm, err = url.ParseQuery(string(text)); err != nil {
			return false, err
		}
		r.Form = r.PostForm
	}
	asked, err := need(c, r, v)
	if err != nil || !asked || c.access.Proven(v) {
		return err == nil, err
	}
	return false, c.askAgain(w, r, v)
}

func (c *Console) askAgain(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	refusal := fault.New(fault.PermissionDenied, "Prove first that it is you, at %s/console/confirm.", c.base())
	current, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if r.Header.Get("HX-Request") == "true" && err == nil {
		w.Header().Set("HX-Redirect", c.base()+"/console/confirm?next="+url.QueryEscape(strings.TrimPrefix(current.RequestURI(), c.base())))
		return refusal
	}
	if !wantsPage(r) {
		return refusal
	}
	if r.Method != http.MethodPost {
		c.redirect(w, r, "/console/confirm?next="+url.QueryEscape(r.URL.RequestURI()))
		return nil
	}
	note(r, refusal)
	p := confirmPage{Then: r.URL.Path, Next: "/console/"}
	if text := r.PostForm.Encode(); r.PostForm != nil && len(text) <= mostKept {
		if p.Kept, err = c.access.Keep(v, r.URL.Path, []byte(text)); err != nil {
			return err
		}
	}
	return c.confirmPage(w, r, v, http.StatusForbidden, p)
}

// confirmPage asks somebody to prove again who they are.
type confirmPage struct {
	Next    string // where they go on, or
	Then    string // what is sent again
	Kept    string // with what they had filled in
	Problem string

	Password, App, Key bool
	SignOn             string // what the identity provider is called
}

func (c *Console) showConfirm(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.confirmPage(w, r, v, http.StatusOK, confirmPage{Next: nextPage(r.URL.Query().Get("next"))})
}

func (c *Console) confirmPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p confirmPage) error {
	has, err := c.access.Security(r.Context(), v)
	if err != nil {
		return err
	}
	_, here := c.party()
	p.Password, p.App, p.Key = has.Password, has.App != nil, here && len(has.Passkeys) > 0
	if c.signOn != nil && v.User.Subject != "" && v.Session.Via == "" {
		p.SignOn = c.signOn.Name
	}
	return c.render(w, r, status, "confirm", view{Title: "Confirm that it is you", Visitor: &v, Data: p})
}

// confirm takes the proof and goes on: with a page, or with a form that is sent
// again (307 has the browser send the same body to the other address).
func (c *Console) confirm(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := confirmPage{Next: nextPage(r.PostForm.Get("next")), Then: r.PostForm.Get("then"), Kept: r.PostForm.Get(keptField)}
	if p.Kept != "" {
		if _, err := c.access.Kept(v, p.Then, p.Kept); err != nil {
			return err
		}
	}
	if err := c.prove(r, v); err != nil {
		if status, problem, ok := tryAgain(w, r, err); ok {
			p.Problem = problem
			return c.confirmPage(w, r, v, status, p)
		}
		return err
	}
	if p.Kept != "" {
		http.Redirect(w, r, c.base()+p.Then, http.StatusTemporaryRedirect) //nolint:gosec // sealed by us with the form
		return nil
	}
	c.redirect(w, r, p.Next)
	return nil
}

func (c *Console) prove(r *http.Request, v access.Visitor) error {
	if answer := r.PostForm.Get("answer"); answer != "" {
		at, ok := c.party()
		if !ok {
			return errNoPasskeys()
		}
		return c.access.ConfirmByPasskey(r.Context(), v, at, r.PostForm.Get("ticket"), []byte(answer))
	}
	return c.access.Confirm(r.Context(), v, r.PostForm.Get("current"), r.PostForm.Get("code"))
}

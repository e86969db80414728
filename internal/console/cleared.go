package console

import (
	"net/http"
	"net/url"
	"strings"

	"stele/internal/access"
	"stele/internal/console/account"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// cleared reports whether somebody who is signed in may go on: who must have a
// second factor has one, and who makes a change of consequence has proven who they
// are not long ago. Else it has answered.
func (c *Console) cleared(w http.ResponseWriter, r *http.Request, route page.Route, v access.Visitor) (bool, error) {
	if c.access.NeedsFactor(v) && !opensWithoutFactor(route) {
		refusal := fault.New(fault.PermissionDenied, "Set up a second factor first, at %s/console/security.", c.Base())
		if !page.WantsPage(r) || r.Method == http.MethodPost {
			return false, refusal
		}
		page.Note(r, refusal)
		return false, c.Redirect(w, r, "/console/security")
	}
	return c.confirmed(w, r, route, v)
}

// opensWithoutFactor are the pages on which a second factor is set up, and the way out.
func opensWithoutFactor(route page.Route) bool {
	for _, open := range []string{"/console/security", "/console/confirm", "/console/signout", "/console/password", "/console/workspace"} {
		if route.Pattern == open || strings.HasPrefix(route.Pattern, open+"/") {
			return true
		}
	}
	return false
}

// confirmed reports whether a route may go on. Else it has answered: with the way
// to prove again who the visitor is. A form that was kept meanwhile takes its place.
func (c *Console) confirmed(w http.ResponseWriter, r *http.Request, route page.Route, v access.Visitor) (bool, error) {
	need := route.Again()
	if need == nil {
		return true, nil
	}
	if kept := r.PostForm.Get(account.KeptField); kept != "" {
		text, err := c.access.Kept(v, r.URL.Path, kept)
		if err != nil {
			return false, err
		}
		if r.PostForm, err = url.ParseQuery(string(text)); err != nil {
			return false, err
		}
		r.Form = r.PostForm
	}
	asked, err := need(r, v)
	if err != nil || !asked || c.access.Proven(v) {
		return err == nil, err
	}
	return false, c.account.AskAgain(w, r, v)
}

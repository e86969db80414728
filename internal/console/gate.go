package console

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/account"
	"stele/internal/console/page"
	"stele/internal/fault"
)

const sessionCookie = "stele_session"

// boundBody holds a request's body to what its route takes, before anything reads it.
func boundBody(w http.ResponseWriter, r *http.Request, route page.Route) error {
	limit := route.BodyLimit()
	if r.ContentLength > limit {
		return errTooLarge(limit)
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
	}
	return nil
}

func errTooLarge(limit int64) error {
	if limit >= 1<<20 {
		return fault.New(fault.BodyTooLarge, "This takes at most %d MB.", limit>>20).With("limit", limit)
	}
	return fault.New(fault.BodyTooLarge, "This takes at most %d KB.", limit>>10).With("limit", limit)
}

// visitor finds who is signed in. Nothing but the cookie is looked at: an API
// key, valid or not, changes nothing here.
func (c *Console) visitor(r *http.Request) (access.Visitor, error) {
	return c.access.BySession(r.Context(), c.readCookie(r, sessionCookie, c.Base()+"/"))
}

// visitorOrNil is visitor for the pages that strangers may read as well: nil when none is
// signed in.
func (c *Console) visitorOrNil(r *http.Request) (*access.Visitor, error) {
	v, err := c.visitor(r)
	if err == nil {
		return &v, nil
	}
	if fault.From(err).Code == fault.SessionRequired {
		return nil, nil
	}
	return nil, err
}

// checkOrigin refuses a change that a page of another origin asked for. The
// public URL is trusted by name: behind a proxy that ends TLS or rewrites the
// host, the request itself does not show it.
func (c *Console) checkOrigin(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	protection := http.NewCrossOriginProtection()
	public := c.PublicURL()
	if err := protection.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return err
	}
	if err := protection.Check(r); err != nil {
		return fault.New(fault.PermissionDenied, "This change was asked for by a page of another site, so it was not made.").Because(err)
	}
	return nil
}

// readForm reads the body of a change into r.PostForm. JSON and files are left to
// those who take them.
func readForm(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/json", "multipart/form-data":
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, page.FormLimit)
	err := r.ParseForm()
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge(page.FormLimit)
	}
	if err != nil {
		return fault.New(fault.InvalidRequestBody, "The form cannot be read.").Because(err)
	}
	return page.CheckText(r.PostForm)
}

// mayGoOn reports whether a visitor who is signed in may go on: who must have a
// second factor has one, and who makes a change of consequence has proven who they
// are not long ago. Else it has answered.
func (c *Console) mayGoOn(w http.ResponseWriter, r *http.Request, route page.Route, v access.Visitor) (bool, error) {
	if c.access.NeedsFactor(v) && !opensWithoutFactor(route) {
		refusal := fault.New(fault.PermissionDenied, "Set up a second factor first, at %s/console/security.", c.Base())
		if !page.WantsPage(r) || r.Method == http.MethodPost {
			return false, refusal
		}
		page.Note(r, refusal)
		return false, c.Redirect(w, r, "/console/security")
	}
	return c.hasConfirmed(w, r, route, v)
}

// opensWithoutFactor are the pages on which a second factor is set up, and the way out.
func opensWithoutFactor(route page.Route) bool {
	open := []string{"/console/security", "/console/confirm", "/console/signout", "/console/password", "/console/workspace"}
	return slices.ContainsFunc(open, func(path string) bool { return route.Pattern == path || strings.HasPrefix(route.Pattern, path+"/") })
}

// hasConfirmed reports whether a route may go on. Else it has answered: with the way
// to prove again who the visitor is. A form that was kept meanwhile takes its place.
func (c *Console) hasConfirmed(w http.ResponseWriter, r *http.Request, route page.Route, v access.Visitor) (bool, error) {
	need := route.Again()
	if need == nil {
		return true, nil
	}
	if kept := r.PostForm.Get(account.KeptField); kept != "" {
		text, err := c.access.Unkeep(v, r.URL.Path, kept)
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

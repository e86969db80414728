package console

import (
	"errors"
	"mime"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

const sessionCookie = "stele_session"

// bound holds a request's body to what its route takes, before anything reads it.
func bound(w http.ResponseWriter, r *http.Request, route page.Route) error {
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

// somebody is visitor for the pages that anybody may read: nil when nobody is
// signed in.
func (c *Console) somebody(r *http.Request) (*access.Visitor, error) {
	v, err := c.visitor(r)
	if err == nil {
		return &v, nil
	}
	if fault.From(err).Code == fault.SessionRequired {
		return nil, nil
	}
	return nil, err
}

// sameOrigin refuses a change that a page of another origin asked for. The
// public URL is trusted by name: behind a proxy that ends TLS or rewrites the
// host, the request itself does not show it.
func (c *Console) sameOrigin(r *http.Request) error {
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
	return nil
}

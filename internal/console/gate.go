package console

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
)

const (
	cookieName = "stele_session"
	formLimit  = 64 << 10
	jsonLimit  = 8 << 20
)

// visitor finds who is signed in. Nothing but the cookie is looked at: an API
// key, valid or not, changes nothing here.
func (c *Console) visitor(r *http.Request) (access.Visitor, error) {
	secret := ""
	if cookie, err := r.Cookie(cookieName); err == nil {
		secret = cookie.Value
	}
	return c.access.BySession(r.Context(), secret)
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
	public := c.publicURL()
	if err := protection.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return err
	}
	if err := protection.Check(r); err != nil {
		return fault.New(fault.PermissionDenied, "This change was asked for by a page of another site, so it was not made.").Because(err)
	}
	return nil
}

// readForm reads the body of a change into r.PostForm. JSON is left to those who
// take it, within a bound of its own, and so are files: whoever keeps one bounds it.
func readForm(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/json":
		r.Body = http.MaxBytesReader(w, r.Body, jsonLimit)
		return nil
	case "multipart/form-data":
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	err := r.ParseForm()
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.BodyTooLarge, "A form has at most 64 KB.").With("limit", formLimit)
	}
	if err != nil {
		return fault.New(fault.InvalidRequestBody, "The form cannot be read.").Because(err)
	}
	return nil
}

// wantsPage tells a browser from a program: programs get the native JSON body.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") &&
		len(r.Header.Values("Authorization")) == 0 && len(r.Header.Values("X-Api-Key")) == 0
}

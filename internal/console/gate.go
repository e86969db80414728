package console

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
)

const (
	sessionCookie = "stele_session"
	formLimit     = 64 << 10
	jsonLimit     = 8 << 20
	codeLimit     = 512 << 10 // of a request that is shown three times over: nobody reads a longer one
	fileLimit     = 1 << 40   // of what is kept while it arrives: the room that keeps it says how large it may be
)

// bodyLimits are the routes that take more than a form, by method and pattern, and how
// much. All others take formLimit, whatever they call what they are sent.
var bodyLimits = map[string]int64{
	"POST /console/playground/run":   jsonLimit,
	"POST /console/playground/code":  codeLimit,
	"POST /console/playground/files": fileLimit,
	"POST /console/apps/files":       fileLimit,
	"POST /console/studio/files":     fileLimit,
	"POST /console/apps/new":         partsLimit,
	"POST /console/apps/check":       partsLimit,
	"POST /console/apps/{app}/edit":  partsLimit,
	"POST /console/apps/{app}/price": partsLimit,
	"POST /console/apps/{app}/runs":  partsLimit,
}

// bodyLimit is how large a body a route takes.
func (r Route) bodyLimit() int64 { return cmp.Or(bodyLimits[r.Method+" "+r.Pattern], formLimit) }

// bound holds a request's body to what its route takes, before anything reads it.
func bound(w http.ResponseWriter, r *http.Request, route Route) error {
	limit := route.bodyLimit()
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
	return c.access.BySession(r.Context(), c.readCookie(r, sessionCookie, c.base()+"/"))
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
	r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	err := r.ParseForm()
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge(formLimit)
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

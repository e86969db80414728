package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/scope"
)

// secure reports whether cookies go over TLS only: people come over it, whatever the
// proxy before us says of itself.
func (c *Console) secure(r *http.Request) bool {
	return c.PublicURL().Scheme == "https" || scope.From(r.Context()).Secure
}

// cookieName is what a cookie is called for a path. Browsers take the prefixes from
// no host but this very one over TLS, so that no neighbour can plant one; and only
// the prefixed one is read where it is set.
func (c *Console) cookieName(r *http.Request, name, path string) string {
	switch {
	case !c.secure(r):
		return name
	case path == "/":
		return "__Host-" + name
	}
	return "__Secure-" + name
}

// readCookie is the value of a cookie of ours, or "".
func (c *Console) readCookie(r *http.Request, name, path string) string {
	cookie, err := r.Cookie(c.cookieName(r, name, path))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// writeCookie hands the browser a cookie for so many seconds, or until it is closed
// for 0, and takes it away for the value "".
func (c *Console) writeCookie(w http.ResponseWriter, r *http.Request, name, path, value string, seconds int) {
	if value == "" {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // over plain HTTP, which loopback is, a Secure cookie would not come back
		Name: c.cookieName(r, name, path), Value: value, Path: path, MaxAge: seconds,
		HttpOnly: true, Secure: c.secure(r), SameSite: http.SameSiteLaxMode,
	})
}

const (
	deviceCookie = "stele_device" // by which a browser is known again after its session has ended
	secondCookie = "stele_second" // between the password and the second factor

	deviceAge = 400 * 24 * 60 * 60 // seconds: browsers keep nothing for longer
	secondAge = 600
)

// browserOf is where a request comes from, as sessions remember it.
func (c *Console) browserOf(r *http.Request) access.Browser {
	return access.Browser{
		Remote: scope.From(r.Context()).Remote, Agent: r.UserAgent(), Device: c.readCookie(r, deviceCookie, c.Base()+"/"),
	}
}

// letIn hands a browser its session, and the mark it is known by where it has none.
func (c *Console) letIn(w http.ResponseWriter, r *http.Request, v access.Visitor, secret string) {
	c.setCookie(w, r, secret)
	if v.Mark != "" {
		c.writeCookie(w, r, deviceCookie, c.Base()+"/", v.Mark, deviceAge)
	}
}

// news are those of the visitor, nil for none.
func (c *Console) news(r *http.Request, v access.Visitor) (*page.News, error) {
	devices, may, err := c.access.News(r.Context(), v)
	if err != nil || len(devices) == 0 {
		return nil, err
	}
	n := &page.News{Devices: c.DeviceRows(devices, v), MayDismiss: may, Next: r.URL.Path}
	if r.Method == http.MethodPost {
		n.Next = "/console/security"
	}
	return n, nil
}

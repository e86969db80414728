package console

import (
	"net/http"

	"stele/internal/scope"
)

// secure reports whether cookies go over TLS only: people come over it, whatever the
// proxy before us says of itself.
func (c *Console) secure(r *http.Request) bool {
	return c.PublicURL().Scheme == "https" || scope.From(r.Context()).Secure
}

// cookieName is what a cookie is called for a path. Browsers take the prefixes from
// nobody but this very host over TLS, so that no neighbour can plant one; and only
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

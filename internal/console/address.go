package console

import (
	"net/http"
	"net/url"
	"strings"
)

// base is the path of the public URL without its last slash: "" or "/stele".
func (c *Console) base() string {
	return strings.TrimRight(c.publicURL().EscapedPath(), "/")
}

// root is the API's public URL without its last slash, as examples show it.
func (c *Console) root() string { return rootOf(c.apiURL()) }

// ownRoot is the console's public URL without its last slash, for links that leave it.
func (c *Console) ownRoot() string { return rootOf(c.publicURL()) }

func rootOf(u *url.URL) string {
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
}

// redirect sends the browser to one of our own paths with a GET.
func (c *Console) redirect(w http.ResponseWriter, r *http.Request, local string) {
	http.Redirect(w, r, c.base()+local, http.StatusSeeOther) //nolint:gosec // local begins with a slash of ours; see nextPage
}

// nextPage is where to go after sign-in: next, if it is a path of the console,
// else the console's first page. Whatever could lead elsewhere is not followed.
func nextPage(next string) string {
	const first = "/console/"
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return first
	}
	p := u.EscapedPath()
	if !strings.HasPrefix(p, first) || p != clean(p) || u.Path != clean(u.Path) || strings.ContainsAny(next, "\\\r\n\t") ||
		strings.HasPrefix(p, "/console/sign") || strings.HasPrefix(p, "/console/oidc") || strings.HasPrefix(p, "/console/confirm") {
		return first
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).RequestURI()
}

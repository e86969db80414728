package page

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Base is the path of the public URL without its last slash: "" or "/stele".
func (f *Frame) Base() string { return strings.TrimRight(f.PublicURL().EscapedPath(), "/") }

// Root is the API's public URL without its last slash, as examples show it.
func (f *Frame) Root() string { return rootOf(f.APIURL()) }

// OwnRoot is the console's public URL without its last slash, for links that leave it.
func (f *Frame) OwnRoot() string { return rootOf(f.PublicURL()) }

func rootOf(u *url.URL) string {
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
}

// Redirect sends the browser to one of our own paths with a GET. It returns nil, as
// the handler does that ends with it.
func (f *Frame) Redirect(w http.ResponseWriter, r *http.Request, local string) error {
	http.Redirect(w, r, f.Base()+local, http.StatusSeeOther) //nolint:gosec // local begins with a slash of ours; see nextPage
	return nil
}

// Done ends a change: with what it failed of, or else as Redirect does.
func (f *Frame) Done(w http.ResponseWriter, r *http.Request, err error, local string) error {
	if err != nil {
		return err
	}
	return f.Redirect(w, r, local)
}

// NextPage is where to go after sign-in: next, if it is a path of the console,
// else the console's first page. Whatever could lead elsewhere is not followed.
func NextPage(next string) string {
	const first = "/console/"
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return first
	}
	p := u.EscapedPath()
	if !strings.HasPrefix(p, first) || p != Clean(p) || u.Path != Clean(u.Path) || strings.ContainsAny(next, "\\\r\n\t") ||
		strings.HasPrefix(p, "/console/sign") || strings.HasPrefix(p, "/console/oidc") || strings.HasPrefix(p, "/console/confirm") {
		return first
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).RequestURI()
}

// LocalAddress is an address without its host.
func LocalAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.RequestURI()
}

// Clean is a path without empty and dotted segments; it keeps its last slash.
func Clean(p string) string {
	cleaned := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && cleaned != "/" {
		cleaned += "/"
	}
	return cleaned
}

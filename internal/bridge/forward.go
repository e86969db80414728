package bridge

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// passed is the key of the call in the context of a request that is passed on.
type passed struct{}

// credentials are the headers in which clients send keys: none of them is the server's.
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie", "Proxy-Authorization"}

// newProxy passes requests on to the server, with the developer's key.
func (b *Bridge) newProxy() http.Handler {
	return &httputil.ReverseProxy{
		Transport:     b.Client.Transport,
		FlushInterval: -1, // streams must not wait
		Rewrite: func(r *httputil.ProxyRequest) {
			c := r.In.Context().Value(passed{}).(*call)
			if to, err := url.Parse(b.Server + "/api" + c.path); err == nil {
				r.Out.URL = to
			}
			query := r.In.URL.Query()
			query.Del("key") // of Google's clients
			r.Out.URL.RawQuery = query.Encode()
			r.Out.Host = ""
			for _, name := range credentials {
				r.Out.Header.Del(name)
			}
			r.Out.Header.Set("Authorization", "Bearer "+b.Key)
			r.Out.Header.Set("X-Request-Id", c.id)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			c := r.Context().Value(passed{}).(*call)
			if r.Context().Err() != nil {
				panic(http.ErrAbortHandler)
			}
			fail(w.(*written), c, b.unreachable(err))
		},
	}
}

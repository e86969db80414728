package bridge

import (
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// passed is the key of the call in the context of a request that is passed on.
type passed struct{}

// credentials are the headers in which clients send keys: none of them is the server's.
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization"}

// pass passes a request on. Of its body no more is read than there is: net/http closes it
// when the answer begins, and a Transport that looks for its end afterwards ends the connection
// to the server, in the middle of the answer.
func (b *Bridge) pass(w http.ResponseWriter, c *call) {
	r := c.WithContext(context.WithValue(c.Context(), passed{}, c))
	if r.ContentLength > 0 {
		r.Body = io.NopCloser(io.LimitReader(r.Body, r.ContentLength))
	}
	b.proxy.ServeHTTP(w, r)
}

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
		ModifyResponse: func(answered *http.Response) error {
			answered.Header.Del("X-Request-Id") // the bridge has told it, and it is the same
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			c := r.Context().Value(passed{}).(*call)
			if r.Context().Err() != nil {
				panic(http.ErrAbortHandler)
			}
			fail(w.(*written), c, b.refuseUnreachable(err))
		},
	}
}

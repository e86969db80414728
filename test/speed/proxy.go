package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
)

// proxy is a bare reverse proxy: it reads nothing, keeps nothing and checks
// nothing. Answers that are streamed are flushed at once, as ReverseProxy does by
// itself.
func proxy(target, authority string) (http.Handler, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 2048 // what was connected once stays so
	transport.DisableCompression = true
	transport.Proxy = nil
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	reverse := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:  transport,
		BufferPool: new(buffers),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else an answer that begins before the request was read to its end closes the connection.
		_ = http.NewResponseController(w).EnableFullDuplex()
		reverse.ServeHTTP(w, r)
	}), nil
}

// buffers are used again: without them each request allocates 32 KB.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[32 << 10]byte); ok {
		return buffer[:]
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put((*[32 << 10]byte)(buffer)) }

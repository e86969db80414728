package toolbox

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// idle is when a session is forgotten whose client does not come back.
	idle       = time.Hour
	largestAsk = 8 << 20
	goodbye    = 5 * time.Second
)

// Listen opens an address for ServeHTTP. Any but loopback is refused: who reaches the
// tools uses the developer's key and reads the developer's files.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", address, err)
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%q is not a loopback address: write 127.0.0.1:PORT", address)
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// ServeHTTP speaks with clients that reach the listener, at /mcp, until ctx ends. Where
// token is not empty clients must send it as a bearer token. A toolbox serves once.
func (b *Toolbox) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	server := &http.Server{
		Handler:           b.guard(l.Addr().String(), token),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	close(b.ending)
	defer b.calls.Wait()
	bounded, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer done()
	if err := server.Shutdown(bounded); err != nil {
		_ = server.Close() // clients that listen for news never end by themselves
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// withoutSessions is the first version of the protocol in which each request stands for
// itself. The versions are dates.
const withoutSessions = "2026-07-28"

// transports speaks with clients of every version of the protocol: those that have sessions
// and those that have none need handlers of their own.
func (b *Toolbox) transports() http.Handler {
	handlers := make(map[manner]http.Handler)
	for _, m := range []manner{{}, {alone: true}, {whole: true}, {alone: true, whole: true}} {
		options := mcp.StreamableHTTPOptions{
			SessionTimeout: idle, MaxRequestBodyBytes: largestAsk, PropagateRequestCancellation: true, Stateless: m.alone, JSONResponse: m.whole,
		}
		if m.alone {
			options.SessionTimeout = 0
		}
		handlers[m] = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return b.mcp }, &options)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept := strings.Join(r.Header.Values("Accept"), ",")
		m := manner{alone: r.Header.Get("Mcp-Protocol-Version") >= withoutSessions, whole: strings.Contains(accept, "application/") && !strings.Contains(accept, "text/") && !strings.Contains(accept, "*/*")}
		if m.whole || accept == "" {
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		handlers[m].ServeHTTP(w, r)
	})
}

// manner is how a client is answered: each request for itself or in a session, and whole or in a stream. The
// protocol wants clients to take both; those that are written by hand often take JSON alone, or do not say.
type manner struct{ alone, whole bool }

// guard lets in only programs of this machine that name it as it is, so that no page
// in a browser can call the tools, whatever name it resolves to this address.
func (b *Toolbox) guard(address, token string) http.Handler {
	tools := b.transports()
	_, port, _ := net.SplitHostPort(address)
	hosts := map[string]bool{address: true, net.JoinHostPort("localhost", port): true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		switch {
		case !hosts[r.Host]:
			http.Error(w, "the Host header does not name this server", http.StatusForbidden)
		case origin != "" && origin != "http://"+r.Host:
			http.Error(w, "pages of other origins may not call this server", http.StatusForbidden)
		case token != "" && !hasToken(r, token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="stele mcp"`)
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
		case strings.TrimSuffix(r.URL.Path, "/") != "/mcp":
			http.Error(w, "there is nothing at this path: the address is http://"+r.Host+"/mcp, streamable HTTP", http.StatusNotFound)
		default:
			tools.ServeHTTP(w, r)
		}
	})
}

// hasToken reports whether a request has the token. The word before it may be in any case of letters (RFC 9110, 11.1).
func hasToken(r *http.Request, token string) bool {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(sent)), []byte(token)) == 1
}

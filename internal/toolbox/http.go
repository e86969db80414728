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
	server := func(*http.Request) *mcp.Server { return b.mcp }
	options := mcp.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: largestAsk, PropagateRequestCancellation: true}
	sessions := mcp.NewStreamableHTTPHandler(server, &options)
	alone := options
	alone.Stateless, alone.SessionTimeout = true, 0
	requests := mcp.NewStreamableHTTPHandler(server, &alone)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= withoutSessions {
			requests.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

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
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
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

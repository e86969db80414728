package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/uid"
)

// handler is what every request passes, outermost first: its id and scope, the
// count of open requests, the log line, the last net for panics, the way to a door.
func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.open.enter()
		defer s.open.leave()
		request := &scope.Request{ID: requestID(r.Header.Get("X-Request-Id"))}
		request.Remote, request.Secure = origin(r, s.TrustedProxies())
		r = r.WithContext(scope.With(r.Context(), request))
		w.Header().Set("X-Request-Id", request.ID)
		if s.Draining() {
			w.Header().Set("Connection", "close")
		}
		watched := &watched{ResponseWriter: w}
		if r.ProtoMajor == 1 { // a later version's connection has many requests at once
			watched.conn, _ = r.Context().Value(packedKey{}).(*packed)
		}
		defer func() {
			v := recover()
			watched.end(v != nil)
			aborted := v == http.ErrAbortHandler //nolint:errorlint,err113 // a panic value
			if v != nil && !aborted {
				s.lastNet(watched, request, v)
			}
			s.finish(r, request, watched, time.Since(start), aborted)
			if v != nil && (aborted || watched.status != http.StatusInternalServerError) {
				panic(http.ErrAbortHandler)
			}
		}()
		s.dispatch(watched, r)
	})
}

// dispatch sends a request to its door. A path that leads under /api/ however
// it is written goes to the API, which refuses it unless it is written plainly.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	r = s.withoutBase(r)
	switch {
	case r.URL.Path == "/healthz":
		s.health(w, r, nil)
	case r.URL.Path == "/readyz":
		s.health(w, r, s.ready)
	case underAPI(r.URL.Path), underAPI(path.Clean("/" + r.URL.Path)):
		s.API.ServeHTTP(w, r)
	case s.Files != nil && strings.HasPrefix(r.URL.Path, "/files/"):
		s.Files.ServeHTTP(w, r)
	default:
		s.Pages.ServeHTTP(w, r)
	}
}

func underAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// withoutBase takes the public URL's path off, for proxies that leave it on.
func (s *Server) withoutBase(r *http.Request) *http.Request {
	if s.BasePath == "" {
		return r
	}
	rest, ok := strings.CutPrefix(r.URL.Path, s.BasePath)
	if !ok || (rest != "" && rest[0] != '/') {
		return r
	}
	bare := r.Clone(r.Context())
	bare.URL.Path = "/" + strings.TrimPrefix(rest, "/")
	bare.URL.RawPath = ""
	if raw, ok := strings.CutPrefix(r.URL.EscapedPath(), s.BasePath); ok {
		bare.URL.RawPath = "/" + strings.TrimPrefix(raw, "/")
	}
	return bare
}

func (s *Server) health(w http.ResponseWriter, r *http.Request, check func(context.Context) error) {
	scope.From(r.Context()).Enter(probe)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if check != nil {
		if err := check(r.Context()); err != nil {
			scope.From(r.Context()).Note(slog.Any("error", err))
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("not ready\n"))
			return
		}
	}
	_, _ = w.Write([]byte("ok\n"))
}

func (s *Server) ready(ctx context.Context) error {
	if s.Draining() {
		return fault.New(fault.Unavailable, "draining")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.Ready(ctx)
}

// lastNet answers a panic that no door caught.
func (s *Server) lastNet(w *watched, request *scope.Request, v any) {
	request.Note(slog.Any("panic", v))
	if w.status == 0 {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(fault.From(errPanic).Envelope(request.ID))
	}
}

// sane is what a client may choose as a request id. A key would fit as well,
// and must not get into the log that way.
var sane = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

func requestID(sent string) string {
	if sane.MatchString(sent) && !strings.Contains(sent, "sk_") {
		return sent
	}
	return uid.New("req")
}

// origin is the client's address and whether it came over TLS. X-Forwarded-For
// is believed from the right as long as each hop is a proxy we trust.
func origin(r *http.Request, trusted []netip.Prefix) (remote string, secure bool) {
	secure = r.TLS != nil
	hop, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr, secure
	}
	at := hop.Addr().Unmap()
	if !within(at, trusted) {
		return at.String(), secure
	}
	if proto := r.Header.Get("X-Forwarded-Proto"); proto != "" {
		secure = strings.EqualFold(proto, "https")
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(at, trusted); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = next.Unmap()
	}
	return at.String(), secure
}

func within(at netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(at) {
			return true
		}
	}
	return false
}

package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/trace"
	"stele/internal/uid"
	"stele/internal/wire"
)

// handler is what every request passes, outermost first: its id and scope, the
// count of open requests, the log line, the last net for panics, the way to a door.
func (s *Server) handler(dispatch func(http.ResponseWriter, *http.Request), secureFor time.Duration) http.Handler {
	hsts := hsts(secureFor)
	return http.HandlerFunc(func(w http.ResponseWriter, made *http.Request) {
		start := time.Now()
		s.open.enter()
		defer s.open.leave()
		request := &scope.Request{ID: requestID(made.Header.Get("X-Request-Id"))}
		request.Remote, request.Secure = origin(made, s.TrustedProxies())
		ctx, span := scope.With(made.Context(), request), trace.Span{}
		if s.Trace != nil && underAPI(made.URL.Path) {
			ctx, span = s.Trace.Request(ctx, made.Method, made.Header)
		}
		r := made.WithContext(ctx)
		if hsts != nil {
			w.Header()["Strict-Transport-Security"] = hsts
		}
		if s.Draining() {
			w.Header().Set("Connection", "close")
		}
		x := newExchange(w, r, s.Bounds())
		x.streams, x.ctx, x.id = &s.streams, made.Context(), request.ID
		defer func() {
			v := recover()
			aborted := v == http.ErrAbortHandler //nolint:errorlint,err113 // a panic value
			if v != nil && !aborted {
				s.lastNet(x, request, v)
			}
			broken := v != nil && (aborted || x.status != http.StatusInternalServerError)
			status := x.outcome(request)
			s.finish(r, request, x, ending{status, time.Since(start), aborted})
			request.DropAttrs()
			span.EndAnswered(request.ID, r.Method, request.Route(), status)
			x.end(broken, !s.Draining())
			s.heads.leave(x, made)
			s.multiple.leave(x)
			if broken {
				panic(http.ErrAbortHandler)
			}
		}()
		s.multiple.admit(x, s.crowd)
		if s.heads.admit(x, r) {
			dispatch(x, r)
		}
	})
}

// dispatch sends a request to its door. A path that leads under /api/ however
// it is written goes to the API, which refuses it unless it is written plainly.
// Pages have a listener of their own, or are here.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	r = withoutBase(r, s.BasePath)
	switch {
	case s.answerProbe(w, r):
	case underAPI(r.URL.Path), underAPI(path.Clean("/" + r.URL.Path)):
		s.API.ServeHTTP(w, r)
	case s.Files != nil && strings.HasPrefix(r.URL.Path, filesPath):
		s.Files.ServeHTTP(w, r)
	case s.Astray != nil && s.Astray(r.URL.Path):
		s.API.ServeHTTP(w, r)
	case s.ConsoleListen != "":
		noPage(w, r)
	default:
		s.pages(w, r)
	}
}

// dispatchPages is dispatch for the listener that has only pages, and the files
// that are shown on them.
func (s *Server) dispatchPages(w http.ResponseWriter, r *http.Request) {
	r = withoutBase(withoutBase(r, s.ConsolePath), s.BasePath) // addresses of files have the other
	switch {
	case s.answerProbe(w, r):
	case underAPI(r.URL.Path), underAPI(path.Clean("/" + r.URL.Path)):
		noPage(w, r)
	case s.Files != nil && strings.HasPrefix(r.URL.Path, filesPath) && s.welcome(r):
		s.Files.ServeHTTP(w, r)
	default:
		s.pages(w, r)
	}
}

const filesPath = "/files/"

// pages serves a page to those who may see any. To others there is none.
func (s *Server) pages(w http.ResponseWriter, r *http.Request) {
	if !s.welcome(r) {
		noPage(w, r)
		return
	}
	s.Pages.ServeHTTP(w, r)
}

// welcome reports whether a client's address may see pages.
func (s *Server) welcome(r *http.Request) bool {
	if s.ConsoleAllow == nil {
		return true
	}
	allowed := s.ConsoleAllow()
	if len(allowed) == 0 {
		return true
	}
	at, err := netip.ParseAddr(scope.From(r.Context()).Remote)
	return err == nil && within(at, allowed)
}

func noPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(fault.New(fault.NotFound, "There is nothing at this path.").Envelope(scope.From(r.Context()).ID))
}

// answerProbe answers health checks.
func (s *Server) answerProbe(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz":
		s.health(w, r, nil)
	case "/readyz":
		s.health(w, r, s.checkReady)
	default:
		return false
	}
	return true
}

// hsts is what tells browsers to come over TLS only; nil: nothing does.
func hsts(life time.Duration) []string {
	if life <= 0 {
		return nil
	}
	return []string{"max-age=" + strconv.FormatInt(int64(life/time.Second), 10)}
}

func underAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// withoutBase takes the public URL's path off, for proxies that leave it on.
func withoutBase(r *http.Request, base string) *http.Request {
	if base == "" {
		return r
	}
	rest, ok := strings.CutPrefix(r.URL.Path, base)
	if !ok || (rest != "" && rest[0] != '/') {
		return r
	}
	bare := r.Clone(r.Context())
	bare.URL.Path = "/" + strings.TrimPrefix(rest, "/")
	bare.URL.RawPath = ""
	if raw, ok := strings.CutPrefix(r.URL.EscapedPath(), base); ok {
		bare.URL.RawPath = "/" + strings.TrimPrefix(raw, "/")
	}
	return bare
}

func (s *Server) health(w http.ResponseWriter, r *http.Request, check func(context.Context) error) {
	scope.From(r.Context()).SetRoute(probe)
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
			wire.SetRetryAfter(w.Header(), time.Second)
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("not ready\n"))
			return
		}
	}
	_, _ = w.Write([]byte("ok\n"))
}

func (s *Server) checkReady(ctx context.Context) error {
	if s.Draining() {
		return fault.New(fault.Unavailable, "draining")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.Ready(ctx)
}

// lastNet answers a panic that no door caught.
func (s *Server) lastNet(x *exchange, request *scope.Request, v any) {
	request.Note(slog.Any(panicked, v))
	if x.status == 0 {
		x.Header().Set("Content-Type", "application/json; charset=utf-8")
		x.WriteHeader(http.StatusInternalServerError)
		_, _ = x.Write(fault.From(errPanic).Envelope(request.ID))
	}
}

// sane is what a client may choose as a request id. A key would fit as well,
// and must not get into the log that way.
var sane = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

func requestID(sent string) string {
	if sent != "" && sane.MatchString(sent) && !strings.Contains(sent, access.KeyMark) {
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
		at = next.Unmap().WithZone("") // a zone is any text
	}
	return at.String(), secure
}

func within(at netip.Addr, list []netip.Prefix) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(at) })
}

package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestPagesCanHaveAListenerOfTheirOwn knocks everywhere at both.
func TestPagesCanHaveAListenerOfTheirOwn(t *testing.T) {
	t.Parallel()
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, name+" "+r.URL.Path) })
	}
	h := serveDoors(t, Options{
		ConsoleListen: "127.0.0.1:0", BasePath: "/api-base", ConsolePath: "/desk",
		API: named("api"), Files: named("files"), Pages: named("pages"), HSTS: time.Hour, ConsoleHSTS: 2 * time.Hour,
	})
	for path, want := range map[string][2]string{
		"/healthz":               {"ok\n", "ok\n"},
		"/api/v1/models":         {"api /api/v1/models", ""},
		"/x/../api/v1/models":    {"api /x/../api/v1/models", ""},
		"/files/a/b":             {"files /files/a/b", "files /files/a/b"},
		"/api-base/files/a/b":    {"files /files/a/b", "files /files/a/b"},
		"/":                      {"", "pages /"},
		"/console/":              {"", "pages /console/"},
		"/console/signin":        {"", "pages /console/signin"},
		"/desk/console/signin":   {"", "pages /console/signin"},
		"/reference":             {"", "pages /reference"},
		"/openapi.yaml":          {"", "pages /openapi.yaml"},
		"/files":                 {"", "pages /files"},
		"/files/../console/keys": {"files /files/../console/keys", "files /files/../console/keys"},
	} {
		for i, at := range []string{h.Addr().String(), h.ConsoleAddr()} {
			status, body, header := get(t, "http://"+at+path, nil)
			if want[i] == "" && (status != http.StatusNotFound || !strings.Contains(body, `"not_found"`)) || want[i] != "" && body != want[i] {
				t.Errorf("listener %d, %s: %d %s", i, path, status, body)
			}
			if got := header.Get("Strict-Transport-Security"); got != []string{"max-age=3600", "max-age=7200"}[i] {
				t.Errorf("listener %d, %s: HSTS %q", i, path, got)
			}
		}
	}
}

// TestOnlyAllowedAddressesSeePages comes from many, through a proxy and not.
func TestOnlyAllowedAddressesSeePages(t *testing.T) {
	t.Parallel()
	door := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "seen") })
	for _, own := range []string{"", "127.0.0.1:0"} {
		for _, c := range []struct {
			allow, forwarded string
			trusted, seen    bool
		}{
			{"", "198.51.100.1", true, true},
			{"127.0.0.0/8", "", false, true},
			{"10.0.0.0/8", "", false, false},
			{"10.0.0.0/8", "10.1.2.3", false, false}, // any client can say so
			{"10.0.0.0/8", "10.1.2.3", true, true},
			{"10.0.0.0/8", "198.51.100.1", true, false},
			{"10.0.0.0/8", "10.1.2.3, 198.51.100.1", true, false},
			{"127.0.0.0/8", "198.51.100.1", true, false},
		} {
			var allow, trusted []netip.Prefix
			if c.allow != "" {
				allow = []netip.Prefix{netip.MustParsePrefix(c.allow)}
			}
			if c.trusted {
				trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
			}
			h := serveDoors(t, Options{
				ConsoleListen: own, API: door, Pages: door, ConsoleAllow: func() []netip.Prefix { return allow },
				TrustedProxies: func() []netip.Prefix { return trusted },
			})
			at := h.Addr().String()
			if own != "" {
				at = h.ConsoleAddr()
			}
			header := http.Header{}
			if c.forwarded != "" {
				header.Set("X-Forwarded-For", c.forwarded)
			}
			for _, path := range []string{"/console/", "/console/signin", "/", "/reference", "/nothing"} {
				if status, body, _ := get(t, "http://"+at+path, header); (body == "seen") != c.seen || !c.seen && status != http.StatusNotFound {
					t.Errorf("%+v: %s: %d %s", c, path, status, body)
				}
			}
			for _, path := range []string{"/healthz", "/api/v1/models"} {
				if status, _, _ := get(t, "http://"+h.Addr().String()+path, header); status != http.StatusOK {
					t.Errorf("%+v: %s: %d", c, path, status)
				}
			}
		}
	}
}

// serveDoors runs a server with what it is given and the usual rest.
func serveDoors(t *testing.T, o Options) *Server {
	t.Helper()
	if o.TrustedProxies == nil {
		o.TrustedProxies = func() []netip.Prefix { return nil }
	}
	o.Listen, o.Observe, o.Log = "127.0.0.1:0", func(Served) {}, slog.New(slog.DiscardHandler)
	o.Drain = func() time.Duration { return time.Second }
	o.Bounds = func() Bounds { return standard }
	s := New(o)
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s
}

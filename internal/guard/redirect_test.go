package guard_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"stele/internal/guard"
)

func neighbourly() guard.Options {
	return guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: answers("127.0.0.2")}
}

// countdown redirects from /n to /n-1 and answers at /0.
func countdown(w http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err == nil && n > 0 {
		http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
	}
}

func TestFollowsFiveRedirectsAndNoMore(t *testing.T) {
	t.Parallel()
	s := serveNeighbour(t, http.HandlerFunc(countdown))
	c := guard.Caller(neighbourly())
	if _, err := fetch(t, c, s.URL+"/5"); err != nil {
		t.Errorf("five: %v", err)
	}
	_, err := fetch(t, c, s.URL+"/6")
	mustRefuse(t, err)
}

func TestRedirectIsRefused(t *testing.T) {
	t.Parallel()
	for _, location := range []string{
		"http://user:pass@127.0.0.2:PORT/",
		"http://@127.0.0.2:PORT/",
		"//user@127.0.0.2:PORT/",
		"ftp://127.0.0.2:PORT/",
		"file:///etc/passwd",
		"gopher://127.0.0.2:PORT/",
		"http://0x7f.2:PORT/",
	} {
		t.Run(location, func(t *testing.T) {
			t.Parallel()
			var next string
			s := serveNeighbour(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				redirectTo(next).ServeHTTP(w, r)
			}))
			next = strings.ReplaceAll(location, "PORT", port(s))
			_, err := fetch(t, guard.Caller(neighbourly()), s.URL+"/go")
			mustRefuse(t, err)
		})
	}
}

func TestNoWayBackFromHTTPS(t *testing.T) {
	t.Parallel()
	plain := serveNeighbour(t, http.HandlerFunc(hello))
	secure := unstarted(t, redirectTo(plain.URL+"/"))
	secure.StartTLS()
	o := neighbourly()
	o.RootCAs = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	_, err := fetch(t, guard.Caller(o), "https://example.com:"+port(secure)+"/go")
	mustRefuse(t, err)
	if !strings.Contains(err.Error(), "https to http") {
		t.Errorf("says %q", err)
	}
}

// headersAfter follows a redirect from one.example to location with secrets in
// the request, and gives the names of the headers that arrived.
func headersAfter(t *testing.T, location string) []string {
	t.Helper()
	var names []string
	s := serveNeighbour(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			_, port, _ := net.SplitHostPort(r.Host)
			http.Redirect(w, r, strings.ReplaceAll(location, "PORT", port), http.StatusTemporaryRedirect)
			return
		}
		for name := range r.Header {
			names = append(names, name)
		}
		slices.Sort(names)
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://one.example:"+port(s)+"/go", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Webhook-Signature", "Content-Type", "User-Agent"} {
		r.Header.Set(name, "text")
	}
	if _, err := send(t, guard.Caller(neighbourly()), r); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	for _, location := range []string{
		"http://two.example:PORT/there",
		"http://sub.one.example:PORT/there", // net/http alone would send them here
	} {
		t.Run(location, func(t *testing.T) {
			t.Parallel()
			got := headersAfter(t, location)
			if want := []string{"Accept-Encoding", "Content-Length", "Content-Type", "User-Agent"}; !slices.Equal(got, want) {
				t.Errorf("arrived: %v, want %v", got, want)
			}
		})
	}
	t.Run("same origin", func(t *testing.T) {
		t.Parallel()
		got := headersAfter(t, "/there")
		for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Webhook-Signature"} {
			if !slices.Contains(got, name) {
				t.Errorf("%s did not arrive", name)
			}
		}
	})
}

func TestSecretsDoNotComeBackAfterADetour(t *testing.T) {
	t.Parallel()
	var secret, one, two string
	s := serveNeighbour(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/go":
			http.Redirect(w, r, two+"/back", http.StatusFound)
		case "/back":
			http.Redirect(w, r, one+"/end", http.StatusFound)
		default:
			secret = r.Header.Get("X-Api-Key")
		}
	}))
	one, two = "http://one.example:"+port(s), "http://two.example:"+port(s)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, one+"/go", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", "secret")
	if _, err := send(t, guard.Caller(neighbourly()), r); err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		t.Errorf("arrived: %q", secret)
	}
}

package guard_test

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"stele/internal/guard"
)

func TestCheckURLAcceptsAndCanonicalises(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://example.com":                      "http://example.com",
		"https://example.com/a%2Fb?q=%20&sig=a+b": "https://example.com/a%2Fb?q=%20&sig=a+b",
		"HTTPS://Example.COM./X":                  "https://example.com/X",
		"http://example.com:8080/":                "http://example.com:8080/",
		"http://example.com:00080/":               "http://example.com:80/",
		"http://example.com:/":                    "http://example.com/",
		"http://xn--bcher-kva.example/":           "http://xn--bcher-kva.example/",
		"http://my_bucket.s3.example/":            "http://my_bucket.s3.example/",
		"http://0x7f.example/":                    "http://0x7f.example/",
		"http://example.com/größe":                "http://example.com/gr%C3%B6%C3%9Fe",
		"http://93.184.215.14/":                   "http://93.184.215.14/",
		"http://93.184.215.14./":                  "http://93.184.215.14/",
		"http://[::FFFF:93.184.215.14]:80/":       "http://93.184.215.14:80/",
		"http://[2606:4700:0:0::1111]/":           "http://[2606:4700::1111]/",
		"http://localhost:9000/hook":              "http://localhost:9000/hook", // where it leads, Caller knows
	} {
		u, err := guard.CheckURL(raw)
		if err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v, want %s", raw, u, err, want)
		}
	}
}

func TestCheckURLRefuses(t *testing.T) {
	t.Parallel()
	for raw, reason := range map[string]string{
		"":                              "only http and https",
		"/path":                         "only http and https",
		"example.com/path":              "only http and https",
		"ftp://example.com/":            "only http and https",
		"http://":                       "names no host",
		"http://:80/":                   "names no host",
		"http:example.com":              "names no host",
		"http://./":                     "not a name",
		"http://a..b/":                  "not a name",
		"http://exämple.com/":           "xn--",
		"http://example.com,other.com/": "not a name",
		"http://" + strings.Repeat("a", 64) + "/":         "not a name",
		"http://" + strings.Repeat("a.", 128) + "/":       "not a name",
		"http://[::1%25eth0]/":                            "unusual spelling",
		"http://127.1/":                                   "unusual spelling",
		"http://user@example.com/":                        "credentials",
		"http://example.com:0/":                           "port",
		"http://example.com:65536/":                       "port",
		"http://example.com:99999999999999999999/":        "port",
		"http://example.com/a b":                          "whitespace",
		"http://example.com/\x7f":                         "whitespace",
		"http://example.com/\u2028":                       "whitespace",
		"http://example.com/\xff":                         "whitespace",
		`http://example.com/\`:                            "whitespace",
		"http://example.com/%zz":                          "not a valid URL",
		"http://example.com/" + strings.Repeat("ä", 2000): "longer than",
	} {
		_, err := guard.CheckURL(raw)
		refused, ok := errors.AsType[*guard.Refused](err)
		if !ok || !strings.Contains(refused.Reason, reason) {
			t.Errorf("%.80q: got %v, want %s", raw, err, reason)
		}
	}
}

var numeral = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)\.?$`)

func FuzzCheckURL(f *testing.F) {
	for _, tr := range tricks {
		f.Add(tr.aimed("8080"))
	}
	f.Add("https://example.com./a%2Fb?q#f")
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := guard.CheckURL(raw)
		if err != nil {
			if _, ok := errors.AsType[*guard.Refused](err); !ok {
				t.Fatalf("%q: %T is not a refusal", raw, err)
			}
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
			t.Fatalf("%q: accepted as %#v", raw, u)
		}
		again, err := guard.CheckURL(u.String())
		if err != nil || again.String() != u.String() || again.Host != u.Host || again.User != nil {
			t.Fatalf("%q: %q is not stable: %v, %v", raw, u, again, err)
		}
		// What inet_aton takes for a number is an address in its one spelling.
		host := u.Hostname()
		if numeral.MatchString(host) || strings.Contains(host, ":") {
			if a, err := netip.ParseAddr(host); err != nil || a.String() != host {
				t.Fatalf("%q: accepted host %q", raw, host)
			}
		}
	})
}

func TestWhatIsPlainlyPrivateIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for raw, want := range map[string]struct{ never, allowed bool }{
		"https://example.com/hook":      {true, true},
		"http://93.184.216.34/":         {true, true},
		"http://127.0.0.1:9/":           {false, true},
		"http://localhost:9/":           {false, true},
		"http://a.localhost/":           {false, true},
		"http://10.0.0.1/":              {false, false},
		"http://[::1]/":                 {false, false},
		"http://[::ffff:127.0.0.1]/":    {false, true},
		"http://169.254.169.254/latest": {false, false},
		"ftp://example.com/":            {false, false},
	} {
		if _, err := guard.CheckPublic(raw, nil); (err == nil) != want.never {
			t.Errorf("%s: %v", raw, err)
		}
		if _, err := guard.CheckPublic(raw, loopback); (err == nil) != want.allowed {
			t.Errorf("%s with loopback allowed: %v", raw, err)
		}
	}
}

package guard_test

import (
	"net/url"
	"strings"
	"testing"

	"stele/internal/guard"
)

func environment(lines ...string) func(string) string {
	return func(name string) string {
		for _, line := range lines {
			if k, v, _ := strings.Cut(line, "="); k == name {
				return v
			}
		}
		return ""
	}
}

func TestProxyFromEnvironment(t *testing.T) {
	t.Parallel()
	const proxies = "HTTP_PROXY=http://plain:3128,HTTPS_PROXY=http://secure:3128"
	for _, tt := range []struct {
		noProxy, url, want string
	}{
		{"", "http://example.com/", "http://plain:3128"},
		{"", "https://example.com/", "http://secure:3128"},
		{"", "http://localhost:8080/", ""},
		{"", "http://127.0.0.1/", ""},
		{"", "http://127.9.9.9/", ""},
		{"", "http://[::1]:80/", ""},
		{"*", "http://example.com/", ""},
		{"other.org,*", "http://example.com/", ""},
		{"example.com", "http://example.com/", ""},
		{"example.com", "http://EXAMPLE.com./", ""},
		{"example.com", "http://www.example.com/", ""},
		{"example.com", "http://notexample.com/", "http://plain:3128"},
		{"EXAMPLE.com", "http://www.example.com/", ""},
		{".example.com", "http://www.example.com/", ""},
		{".example.com", "http://example.com/", "http://plain:3128"},
		{"*.example.com", "http://www.example.com/", ""},
		{"*.example.com", "http://example.com/", "http://plain:3128"},
		{"a.org, example.com ,b.org", "http://example.com/", ""},
		{"example.com:8080", "http://example.com:8080/", ""},
		{"example.com:8080", "http://example.com/", "http://plain:3128"},
		{"example.com:443", "https://example.com/", ""},
		{"10.0.0.0/8", "http://10.1.2.3/", ""},
		{"10.0.0.0/8", "http://[::ffff:10.1.2.3]/", ""},
		{"10.0.0.0/8", "http://11.1.2.3/", "http://plain:3128"},
		{"10.0.0.0/8", "http://name.example/", "http://plain:3128"},
		{"10.1.2.3", "http://10.1.2.3/", ""},
		{"10.1.2.3", "http://10.1.2.4/", "http://plain:3128"},
		{"10.1.2.3:80", "http://10.1.2.3/", ""},
		{"10.1.2.3:81", "http://10.1.2.3/", "http://plain:3128"},
		{"fd00::/8", "http://[fd00::1]/", ""},
		{"fd00::1", "http://[fd00::1]/", ""},
		{"[fd00::1]", "http://[fd00::1]/", ""},
		{"[fd00::1]:80", "http://[fd00::1]/", ""},
		{"[fd00::1]:81", "http://[fd00::1]/", "http://plain:3128"},
		{"2.3", "http://10.1.2.3/", "http://plain:3128"},
		{",.,:80", "http://example.com/", "http://plain:3128"},
	} {
		t.Run(tt.noProxy+" "+tt.url, func(t *testing.T) {
			t.Parallel()
			env := append(strings.Split(proxies, ","), "NO_PROXY="+tt.noProxy)
			u, _ := url.Parse(tt.url)
			got, err := guard.ProxyFromEnvironment(environment(env...))(u)
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(got); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

func textOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.String()
}

func TestProxySettingsAreReadInEitherCase(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "https", Host: "example.com"}
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"HTTPS_PROXY=secure:1"}, "http://secure:1"},
		{[]string{"https_proxy=https://me:pw@secure:1"}, "https://me:pw@secure:1"},
		{[]string{"HTTPS_PROXY=socks5://upper:1", "https_proxy=lower:1"}, "socks5://upper:1"},
		{[]string{"HTTPS_PROXY=secure:1", "no_proxy=example.com"}, ""},
		{[]string{"HTTP_PROXY=plain:1"}, ""},
	} {
		got, err := guard.ProxyFromEnvironment(environment(tt.env...))(u)
		if text := textOf(got); err != nil || text != tt.want {
			t.Errorf("%v: got %q, %v, want %q", tt.env, text, err, tt.want)
		}
	}
}

func TestUnreadableProxyFailsAndKeepsItsPassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"http://me:pa55@ho st:1", "ftp://me:pa55@host", "http://", "me:pa55@[::1"} {
		choose := guard.ProxyFromEnvironment(environment("HTTP_PROXY="+text, "NO_PROXY=direct.example"))
		_, err := choose(&url.URL{Scheme: "http", Host: "example.com"})
		if err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("%s: got %v", text, err)
		}
		if _, err := choose(&url.URL{Scheme: "http", Host: "direct.example"}); err != nil {
			t.Errorf("%s: direct: %v", text, err)
		}
	}
}

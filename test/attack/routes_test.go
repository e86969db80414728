package attack

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed routes.txt
var routesText string

// route is a row of the program's tables.
type route struct{ door, method, pattern string }

// routes are all that a request can reach: those of the tables, and the few that the
// server itself answers, or nothing does.
func routes(t testing.TB) []route {
	t.Helper()
	list := []route{
		{"server", "GET", "/healthz"}, {"server", "GET", "/readyz"}, {"server", "GET", "/files/file_x/x.png"},
		{"server", "GET", "/nothing"}, {"server", "POST", "/api/v1/nothing"},
	}
	for line := range strings.Lines(routesText) {
		f := strings.Fields(line)
		if len(f) != 3 {
			t.Fatalf("routes.txt: %q", line)
		}
		list = append(list, route{f[0], f[1], f[2]})
	}
	return list
}

// path is an address of the route, with something in each of its places.
func (r route) path(fill string) string {
	var b strings.Builder
	rest := r.pattern
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(fill)
		_, rest, _ = strings.Cut(after, "}")
	}
}

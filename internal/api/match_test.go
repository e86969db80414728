package api

import (
	"strings"
	"testing"
)

func TestPathsFindTheirRoutes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path   string
		route  int // 0: none
		params string
	}{
		{"/api/v1/models", 4, ""},
		{"/api/v1/%6Dodels", 4, ""},
		{"/api/v1/apps/product-shot", 3, "app=product-shot"},
		{"/api/v1/apps/product%2Dshot", 3, "app=product-shot"},
		{"/api/v1/apps/product%252Dshot", 3, "app=product-shot"},
		{"/api/v1/apps/a%2Fb", 3, "app=a/b"},
		{"/api/v1/apps/a/generations", 12, "app=a"},
		{"/api/v1/apps/a/generations/gen%5Fab", 13, "app=a id=gen_ab"},
		{"/api/v1/generations/100%25", 11, "id=100%"},
		{"/api/v1beta/models/gemini-3:generateContent", 7, "model=gemini-3"},
		{"/api/v1beta/models/vendor/m:free:generateContent", 7, "model=vendor/m:free"},
		{"/api/v1beta/models/openai%2Fgpt-5%3AgenerateContent", 7, "model=openai/gpt-5"},
		{"/api/v1beta/models/models/x:streamGenerateContent", 8, "model=x"},
		{"/api/v1beta/models/models/models/x:streamGenerateContent", 8, "model=x"},
		{"/api/v1beta/models/x:countTokens", 0, ""},
		{"/api/v1beta/models/:generateContent", 0, ""},
		{"/api/v1beta/models/models/:generateContent", 0, ""},
		{"/api/v1beta/models", 0, ""},
		{"/api/v1beta/models/x", 0, ""},
		{"/api/v1beta/tunedModels/x:generateContent", 0, ""},
		{"/api/v1/models/", 0, ""},
		{"/api/v1//models", 0, ""},
		{"/api/v1/./models", 0, ""},
		{"/api/v1/x/../models", 0, ""},
		{"/api/v1/%2e%2e/v1/models", 0, ""},
		{"/api%2Fv1/models", 0, ""},
		{"/api/v1/models%2F", 0, ""},
		{"/api/v1/Models", 0, ""},
		{"/api/v1/generations/", 0, ""},
		{"/api/v1beta/models/a//b:generateContent", 0, ""},
		{"/api/v1beta/models/a/../b:generateContent", 0, ""},
		{"/api", 0, ""},
		{"/api/", 0, ""},
	} {
		routes, params := match(test.path)
		var number int
		var parts []string
		if len(routes) == 1 {
			number = routes[0].number
			for _, name := range []string{"app", "id", "model"} {
				if v, ok := params[name]; ok {
					parts = append(parts, name+"="+v)
				}
			}
		}
		if got := strings.Join(parts, " "); number != test.route || got != test.params {
			t.Errorf("%s: route %d with %q, want %d with %q", test.path, number, got, test.route, test.params)
		}
	}
}

func TestNoTwoRoutesShareMethodAndPath(t *testing.T) {
	t.Parallel()
	for i, r := range table {
		if r.number != i+1 {
			t.Errorf("route %d stands at %d", r.number, i+1)
		}
		routes, _ := match(strings.NewReplacer("{app}", "x", "{id}", "x", "{model}", "x").Replace(r.path))
		if len(routes) != 1 || routes[0].number != r.number {
			t.Errorf("%s leads to %d routes", r.path, len(routes))
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, r := range table {
		f.Add(r.path)
	}
	f.Add("/api/v1beta/models/%2e%2e:generateContent")
	f.Fuzz(func(t *testing.T, path string) {
		routes, params := match(path)
		if len(routes) > 0 && !strings.HasPrefix(path, "/") {
			t.Errorf("%q found a route", path)
		}
		for name, v := range params {
			if len(routes) > 0 && name == "model" && v == "" {
				t.Errorf("%q found an empty model", path)
			}
		}
	})
}

// What is refused before any key is looked at has the shape of the path's family, for every route and for
// what lies beside it: Anthropic's where the client says that it speaks that.
func TestPathsAreRefusedInTheirFamily(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.key = ""
	shapes := map[string]string{"native": `{"error":{"code":"`, "openai": `"param":null`, "anthropic": `{"type":"error"`, "gemini": `"status":"`}
	for _, route := range Routes() {
		path := strings.NewReplacer("{model}", "a/m", "{app}", "a", "{id}", "gen_1").Replace(route.Path)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get"} {
			for _, version := range []string{"", "2023-06-01"} {
				var header []string
				family := route.Family
				if version != "" {
					header = []string{"Anthropic-Version", version}
				}
				if version != "" && family != "gemini" {
					family = "anthropic"
				}
				for at, status := range map[string]int{path: 405, path + "/x/y": 404} {
					if status == 405 && method == route.Method {
						continue
					}
					got, text, h := b.do(t, method, at, nil, header...)
					if got != status || method != "HEAD" && !strings.Contains(text, shapes[family]) || status == 405 && h.Get("Allow") != route.Method {
						t.Errorf("%s %s (%s): %d %s, not %d in the shape of %s", method, at, version, got, text, status, family)
					}
				}
			}
		}
	}
}

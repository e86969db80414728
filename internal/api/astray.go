package api

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/fault"
)

// findRoute says where a client is sent on to that writes its paths in a way no base URL mends:
// the route that it means, with its query. "" where it means none. No key is looked at before.
func (d *Door) findRoute(r *http.Request) string {
	path := rewritePath(r.URL.EscapedPath())
	routes, _ := match(path)
	if !slices.ContainsFunc(routes, func(route *route) bool { return route.method == r.Method }) {
		return ""
	}
	if d.Public != nil {
		path = strings.TrimSuffix(d.Public().EscapedPath(), "/") + path
	}
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	return path
}

// rewritePath gives the path that such a client means: Groq's own SDK writes /openai/v1 before
// every path, the AI SDK's provider for DeepInfra /openai, and clients of Google's write
// models/ only before ids without a slash, or another version of their API.
func rewritePath(escaped string) string {
	for _, before := range []string{"/api/openai/v1/", "/api/v1/openai/"} {
		if path, ok := strings.CutPrefix(escaped, before); ok {
			return "/api/v1/" + path
		}
	}
	for _, version := range geminiVersions {
		rest, ok := strings.CutPrefix(escaped, version)
		rest = slash.Replace(rest)
		if id := strings.TrimPrefix(rest, "models/"); ok && strings.Contains(rest, "/") && !strings.Contains("/"+id, "/models/") {
			return geminiModels + id
		}
	}
	return ""
}

// slash is one that a client encoded with the rest of an id.
var slash = strings.NewReplacer("%2F", "/", "%2f", "/")

// geminiVersions are those of Google's API that its clients write: @google/genai 3 speaks v1.
var geminiVersions = []string{"/api/v1beta/", "/api/v1/", "/api/v1alpha/", "/api/v1beta1/"}

// prefixes are what clients put before a route's own path: their base URL, once too
// often, or another's.
var prefixes = []string{
	"api", "v1", "v1beta", "v1beta1", "v1alpha", "beta", "openai", "anthropic", "gemini", "google",
	"chat", "completions", "messages", // a base URL that is a whole address
}

// guessPath gives the path under /api/ that a client with a wrong base URL means: one of a
// route, or else of what others serve and we answer with a hint. "" where it means none.
func guessPath(escaped string) string {
	if escaped == "/api/v1beta/models" {
		return "" // Gemini's list, which is not served: its own hint tells what is
	}
	if path := behindPrefixes(escaped, isServed); path != "" {
		return path
	}
	return behindPrefixes(escaped, func(path string) bool { return substitute(path) != "" })
}

// behindPrefixes is the first path that something is at, if one prefix after the other
// is taken off and that of the API put there.
func behindPrefixes(escaped string, is func(path string) bool) string {
	segments := slices.DeleteFunc(strings.Split(escaped, "/"), func(s string) bool { return s == "" })
	versions := []string{"/api/v1/", "/api/v1beta/"}
	for i, segment := range segments {
		for _, version := range versions {
			if path := version + strings.Join(segments[i:], "/"); is(path) {
				return path
			}
		}
		wrongBase := segment == "models" && i+1 < len(segments) && slices.Contains(prefixes, segments[i+1])
		if !wrongBase && !slices.Contains(prefixes, segment) {
			break
		}
		if strings.HasPrefix(segment, "v1beta") {
			versions = []string{"/api/v1beta/", "/api/v1/"}
		}
	}
	return ""
}

func isServed(path string) bool {
	routes, _ := match(path)
	return len(routes) > 0
}

// Astray reports whether a path outside of /api/ is meant for the API: its client has a
// wrong base URL. The Door tells it the right one, and looks at no key.
func Astray(path string) bool { return guessPath(path) != "" }

// refuseNowhere answers a request to a path that is no route. Where its client has a wrong
// base URL it is told the right one.
func (d *Door) refuseNowhere(r *http.Request) error {
	path := guessPath(r.URL.EscapedPath())
	routes, _ := match(path)
	if len(routes) == 0 {
		path = cmp.Or(path, r.URL.Path)
		return fault.New(fault.NotFound, "There is nothing at this path. %s", hint(path))
	}
	root := ""
	if d.Public != nil {
		root = strings.TrimSuffix(d.Public().String(), "/")
	}
	route := routes[0]
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path
	}
	said := "There is nothing at this path: the route is " + route.method + " " + plain
	if base := route.family.of(r).base; base != "" {
		said += ". Set the client's base URL to " + root + base + behindBase(base, path, r.URL.EscapedPath()) + ", without anything behind it"
	}
	return fault.New(fault.NotFound, "%s.", said).With("route", route.method+" "+plain)
}

// behindBase is what stands behind a family's base URL where a client writes no version of the API
// itself, as the AI SDK's providers for Anthropic and Google do: the version of the path that it means.
func behindBase(base, path, sent string) string {
	version, rest, ok := strings.Cut(strings.TrimPrefix(path, base+"/"), "/")
	if !ok || !strings.HasPrefix(version, "v1") {
		return ""
	}
	before := strings.TrimSuffix(strings.TrimRight(sent, "/"), "/"+rest)
	if before == sent || strings.HasPrefix(before[strings.LastIndexByte(before, '/')+1:], "v1") {
		return ""
	}
	return "/" + version
}

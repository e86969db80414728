package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"stele/internal/api"
	"stele/internal/console"
)

// visitor is a way to knock at a public route, and what the contract answers.
type visitor struct {
	name   string
	header http.Header
	query  string
	status int
	code   string
}

// TestCensus knocks at each of the 13 routes in every way the contract names.
func TestCensus(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, good := s.key()
	revokedID, revoked := s.key()
	_, expired := s.key("--expires", "1ms")
	s.cli("keys", "revoke", revokedID)
	scoped := make(map[string]string) // a key for each group that lacks just that group
	groups := []string{"chat", "models", "files", "media", "apps"}
	for _, group := range groups {
		_, scoped[group] = s.key("--scope", strings.Join(without(groups, group), ","))
	}
	eventually(t, func() bool {
		status, _, _ := s.ask("GET", "/api/v1/models", bearer(scoped["apps"]), nil)
		return status == http.StatusOK
	})
	unknown := withChecksum("sk_live_" + strings.Repeat("0", 32))

	for _, route := range api.Routes() {
		for _, v := range []visitor{
			{"no key", nil, "", 401, "missing_api_key"},
			{"empty bearer", bearer(""), "", 401, "missing_api_key"},
			{"malformed", bearer("hello"), "", 401, "invalid_api_key"},
			{"truncated", bearer(good[:len(good)-1]), "", 401, "invalid_api_key"},
			{"wrong checksum", bearer(good[:len(good)-1] + other(good[len(good)-1])), "", 401, "invalid_api_key"},
			{"unknown", bearer(unknown), "", 401, "invalid_api_key"},
			{"revoked", bearer(revoked), "", 401, "invalid_api_key"},
			{"expired", bearer(expired), "", 401, "invalid_api_key"},
			{"scope missing", bearer(scoped[string(route.Group)]), "", 403, "permission_denied"},
			{"key in query", nil, "?key=" + good + "&api_key=" + good, 401, "missing_api_key"},
			{"key in cookie", http.Header{"Cookie": {"stele_session=" + good + "; key=" + good}}, "", 401, "missing_api_key"},
			{"repeated header", http.Header{"Authorization": {"Bearer " + good, "Bearer " + good}}, "", 401, "invalid_api_key"},
			{"both headers, bearer wins and is wrong", http.Header{"Authorization": {"Bearer x"}, "X-Api-Key": {good}}, "", 401, "invalid_api_key"},
			{"goog header is off", http.Header{"X-Goog-Api-Key": {good}}, "", 401, "missing_api_key"},
			{"good", bearer(good), "", 0, ""},
			{"good in x-api-key", http.Header{"X-Api-Key": {good}}, "", 0, ""},
			{"both headers, bearer wins and is right", http.Header{"Authorization": {"Bearer " + good}, "X-Api-Key": {"x"}}, "", 0, ""},
			{"basic and x-api-key", http.Header{"Authorization": {"Basic dTpw"}, "X-Api-Key": {good}}, "", 0, ""},
			{"SDK's query parameters", bearer(good), "?beta=true&alt=sse&$x=1", 0, ""},
		} {
			status, header, body := s.ask(route.Method, concrete(route.Path)+v.query, v.header, nil)
			what := route.Method + " " + route.Path + ": " + v.name
			if v.status == 0 { // let in: whatever the room says, it is not about the key
				if status == 401 || status == 403 || status == 405 {
					t.Errorf("%s: %d %s", what, status, body)
				}
				continue
			}
			if status != v.status || nativeCode(t, route.Family, body) != v.code {
				t.Errorf("%s: %d %s, want %d %s", what, status, body, v.status, v.code)
			}
			if got := header.Get("Www-Authenticate"); (got == `Bearer realm="stele"`) != (status == 401) {
				t.Errorf("%s: WWW-Authenticate %q", what, got)
			}
			checkEnvelope(t, what, route, header)
		}
	}
	if strings.Contains(s.out.String(), good) {
		t.Error("a key is in the log")
	}
}

// TestAnthropicClientsGetTheirShape covers the two routes that switch.
func TestAnthropicClientsGetTheirShape(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, knock := range [][2]string{{"GET", "/api/v1/models"}, {"POST", "/api/v1/files"}, {"GET", "/api/v1/nowhere"}, {"PUT", "/api/v1/models"}} {
		status, header, body := s.ask(knock[0], knock[1], http.Header{"Anthropic-Version": {"2023-06-01"}}, nil)
		var e struct {
			Type      string `json:"type"`
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal(body, &e); err != nil || e.Type != "error" || e.RequestID == "" || header.Get("Request-Id") != e.RequestID {
			t.Errorf("%s: %d %s (%v)", knock, status, body, err)
		}
	}
}

// TestNothingElseIsUnderAPI knocks where nothing is, and in every wrong way where something is.
func TestNothingElseIsUnderAPI(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, good := s.key()
	for _, path := range []string{
		"/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/models", "/api/v1/models/", "/api/v1/models/gpt-5", "/api/v1//models",
		"/api/./v1/models", "/api/v1/x/../models", "//api/v1/models", "/x/../api/v1/models", "/api%2Fv1/models", "/api/v1/embeddings",
		"/api/v1/responses", "/api/v1/messages/count_tokens", "/api/v1/chat", "/api/v1beta", "/api/v1beta/models",
		"/api/v1beta/models/gemini-3", "/api/v1beta/models/gemini-3:countTokens", "/api/v1/generations/", "/api/v1/apps/x/generations/y/z",
		"/api/console/keys", "/api/healthz", "/api/v1/Models",
	} {
		for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS", "DELETE"} {
			status, header, body := s.ask(method, path, bearer(good), nil)
			if status != http.StatusNotFound || header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("%s %s: %d %s", method, path, status, body)
			}
		}
	}
	for _, route := range api.Routes() {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if method == route.Method {
				continue
			}
			status, header, body := s.ask(method, concrete(route.Path), bearer(good), nil)
			if status != http.StatusMethodNotAllowed || header.Get("Allow") != route.Method {
				t.Errorf("%s %s: %d, Allow %q, %s", method, route.Path, status, header.Get("Allow"), body)
			}
			if method != "HEAD" && nativeCode(t, route.Family, body) != "method_not_allowed" {
				t.Errorf("%s %s: %s", method, route.Path, body)
			}
		}
	}
}

// TestInternalRoutesRefuseKeys knocks at the console with a key in every header.
func TestInternalRoutesRefuseKeys(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, good := s.key()
	knocked := 0
	for _, route := range console.Routes() {
		for name, header := range map[string]http.Header{
			"bearer": bearer(good), "x-api-key": {"X-Api-Key": {good}}, "cookie": {"Cookie": {"stele_session=" + good}},
		} {
			if route.Need == "" {
				continue
			}
			knocked++
			status, _, body := s.ask(route.Method, concrete(route.Pattern), header, nil)
			if status != http.StatusUnauthorized || nativeCode(t, "native", body) != "session_required" {
				t.Errorf("%s %s with %s: %d %s", route.Method, route.Pattern, name, status, body)
			}
		}
	}
	if knocked == 0 {
		t.Error("there are no internal routes")
	}
}

func concrete(path string) string {
	return strings.NewReplacer("{app}", "product-shot", "{id}", "gen_1", "{model}", "acme/model:8b").Replace(path)
}

func without(list []string, one string) []string {
	var rest []string
	for _, v := range list {
		if v != one {
			rest = append(rest, v)
		}
	}
	return rest
}

func other(c byte) string {
	if c == '0' {
		return "1"
	}
	return "0"
}

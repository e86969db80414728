package keys_test

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

var secretText = regexp.MustCompile(`sk_(?:dev|live)_[0-9A-Za-z]{38}`)

func TestASecretIsShownOnce(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	res := h.Post("/console/keys", url.Values{
		"name": {"nightly <import>"}, "environment": {"production"}, "scope": {"chat", "models"},
		"models": {"openai/*\r\n\r\n anthropic/claude-* \r\n"}, "expires": {"30d"}, "sandbox": {"on"},
	}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Location") != "" || len(res.Cookies()) > 0 {
		t.Errorf("the secret may stay behind: %v", res.Header)
	}
	page := consoletest.Body(t, res)
	secret := secretText.FindString(page)
	consoletest.WantText(t, page, "it will not be shown again", "nightly &lt;import&gt;",
		"curl http://127.0.0.1:8080/api/v1/models", "Authorization: Bearer "+secret)

	who, _, err := h.Access.Admit(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	if who.Environment != access.Production || !who.Sandbox || strings.Join(who.Scope.Models, " ") != "openai/* anthropic/claude-*" {
		t.Errorf("the key is %+v", who)
	}
	if !who.Scope.Allows(access.GroupChat) || who.Scope.Allows(access.GroupMedia) {
		t.Errorf("the key opens %v", who.Scope.Groups)
	}
	page = consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	if secretText.MatchString(page) {
		t.Error("a secret is in the list")
	}
	consoletest.WantText(t, page, "nightly &lt;import&gt;", who.Key, "in 30 days", `datetime="2026-12-15T09:30:00Z"`)
	h.Pass(31 * 24 * time.Hour)
	if _, _, err := h.Access.Admit(secret, ""); err == nil {
		t.Error("the key does not expire")
	}
}

func TestEveryScopeTickedMeansEveryRoute(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	form := url.Values{"name": {"x"}}
	for _, g := range access.Groups() {
		form.Add("scope", string(g))
	}
	who, _, err := h.Access.Admit(secretText.FindString(consoletest.Body(t, h.Post("/console/keys", form, consoletest.Browser))), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(who.Scope.Groups) != 0 || who.Environment != access.Development {
		t.Errorf("the key is %+v", who)
	}
}

func TestAMistakeIsShownBesideItsField(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	good := url.Values{"name": {"kept"}, "scope": {"chat"}, "models": {"kept/*"}, "expires": {"7d"}, "environment": {"production"}}
	for field, bad := range map[string][]string{
		"name": {""}, "environment": {"staging"}, "scope": nil, "models": {"two words"}, "expires": {"yesterday"},
	} {
		form := maps.Clone(good)
		form[field] = bad
		res := h.Post("/console/keys", form, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		page := consoletest.Body(t, res)
		consoletest.WantText(t, page, `<p class="wrong"`, `<details class="maker" open>`, `value="chat"`)
		if field != "name" {
			consoletest.WantText(t, page, `value="kept"`)
		}
		if field != "models" {
			consoletest.WantText(t, page, ">kept/*</textarea>")
		}
	}
	if keys, _ := h.Store.FindKeys(t.Context(), access.KeyFilter{}); len(keys) != 1 {
		t.Errorf("%d keys, want the first one only", len(keys))
	}
}

// A page has so many keys, leads on to older ones, and finds one by a part of its name.
func TestKeysArePaged(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	for i := range 100 {
		_, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: fmt.Sprintf("program %d", i), Environment: access.Development})
		if err != nil {
			t.Fatal(err)
		}
	}
	first := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	consoletest.WantText(t, first, `rel="next">Older</a>`, "program 99", `role="search"`)
	if n := strings.Count(first, ">Rotate key</button>"); n != 100 {
		t.Errorf("a page has %d keys", n)
	}
	older := html.UnescapeString(regexp.MustCompile(`/console/keys\?[^"]*`).FindString(first))
	second := consoletest.Body(t, h.Get(older, consoletest.Browser))
	consoletest.WantText(t, second, ">Newest</a>")
	if n := strings.Count(second, ">Rotate key</button>"); n != 1 || strings.Contains(second, "Older</a>") {
		t.Errorf("the last page has %d keys", n)
	}
	found := consoletest.Body(t, h.Get("/console/keys?q=PROGRAM+42", consoletest.Browser))
	if n := strings.Count(found, ">Rotate key</button>"); n != 1 {
		t.Errorf("%d keys are found", n)
	}
	consoletest.WantCode(t, h.Get("/console/keys?before=yesterday"), 422, "invalid_parameter")
}

func TestRotateAndRevoke(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	who, _, err := h.Access.Admit(h.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	rotate, revoke := "/console/keys/"+who.Key+"/rotate", "/console/keys/"+who.Key+"/revoke"

	consoletest.WantCode(t, h.Post(rotate, url.Values{"grace": {"forever"}}), 422, "invalid_parameter")
	res := h.Post(rotate, url.Values{"grace": {"1h"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	page := consoletest.Body(t, res)
	second := secretText.FindString(page)
	consoletest.WantText(t, page, "A new secret for", "works until", "15 Nov 2026, 10:30 UTC", "2 secrets are valid")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "2 secrets valid, the newest not used yet")
	for _, secret := range []string{h.Key, second} {
		if _, _, err := h.Access.Admit(secret, ""); err != nil {
			t.Errorf("within the grace: %v", err)
		}
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "old secret ends")
	page = consoletest.Body(t, h.Post(rotate, nil, consoletest.Browser))
	consoletest.WantText(t, page, "3 secrets are valid")
	if _, _, err := h.Access.Admit(second, ""); err != nil {
		t.Error("a lost answer to a rotation would be an outage")
	}
	page = consoletest.Body(t, h.Post(rotate, url.Values{"grace": {"now"}}, consoletest.Browser))
	consoletest.WantText(t, page, "has ended")
	third := secretText.FindString(page)
	if _, _, err := h.Access.Admit(second, ""); err == nil {
		t.Error("a secret that has leaked outlives its end")
	}

	res = h.Post(revoke, nil, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/console/keys" {
		t.Errorf("sent to %s", got)
	}
	if _, _, err := h.Access.Admit(third, ""); err == nil {
		t.Error("a revoked key still works")
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "No working keys", "Revoked and expired keys", "revoked")
	res = h.Post(rotate, nil, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "The key is revoked")
	consoletest.WantCode(t, h.Post("/console/keys/key_none/rotate", nil), 404, "not_found")
	consoletest.WantCode(t, h.Post("/console/keys/key_none/revoke", nil), 404, "not_found")
}

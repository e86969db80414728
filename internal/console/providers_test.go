package console_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
)

const upstreamKey = "sk-very-secret-0123456789"

// addProvider adds an account over the form.
func addProvider(t *testing.T, h *house, id string) {
	t.Helper()
	wantStatus(t, h.post("/console/providers", url.Values{
		"id": {id}, "kind": {"openai"}, "base_url": {"https://proxy.example.com/v1"}, "api_key": {upstreamKey}, "models": {"gpt-5\r\ngpt-5-mini"},
	}, browser), 303)
}

func TestAProviderIsAddedAndItsSecretNeverSeenAgain(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	page := body(t, h.get("/console/providers", browser))
	wantText(t, page, "main", "stele.yaml, line 2", "not called yet", "Add provider")
	addProvider(t, h, "proxy")
	p := s.both.Config.Providers[1]
	if p.Name != "proxy" || p.APIKey.Reveal() != upstreamKey || strings.Join(p.Models, " ") != "gpt-5 gpt-5-mini" {
		t.Fatalf("the provider is %+v", p)
	}
	for _, path := range []string{"/console/providers", "/console/providers/proxy", "/console/models", "/console/models/show?id=steady"} {
		res := h.get(path, browser)
		wantStatus(t, res, 200)
		if page := body(t, res); strings.Contains(page, upstreamKey) || strings.Contains(page, "sk-of-the-file") {
			t.Errorf("%s shows a secret", path)
		}
	}
	h.pass(5 * time.Hour)
	page = body(t, h.get("/console/providers/proxy", browser))
	wantText(t, page, "set 5 hours ago", "https://proxy.example.com/v1", "Save changes")
	h.confirm()

	// An empty field keeps the secret, a tick removes it.
	form := url.Values{"revision": {revision(t, page)}, "base_url": {"https://proxy.example.com/v2"}, "models": {"*"}}
	wantStatus(t, h.post("/console/providers/proxy", form, browser), 303)
	if p := s.both.Config.Providers[1]; p.APIKey.Reveal() != upstreamKey || p.BaseURL != "https://proxy.example.com/v2" {
		t.Errorf("after a change: %+v", p)
	}
	form.Set("revision", revision(t, body(t, h.get("/console/providers/proxy", browser))))
	form.Set("forget api_key", "1")
	wantStatus(t, h.post("/console/providers/proxy", form, browser), 303)
	if p := s.both.Config.Providers[1]; p.APIKey != "" {
		t.Error("the secret is still there")
	}
}

func TestAnotherHostNeedsTheSecretAgain(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	addProvider(t, h, "proxy")
	form := url.Values{"revision": {revision(t, body(t, h.get("/console/providers/proxy", browser)))}, "models": {"*"}}
	for _, base := range []string{"https://evil.example.com/v1", "http://proxy.example.com/v1", "https://proxy.example.com:444/v1", ""} {
		form.Set("base_url", base)
		res := h.post("/console/providers/proxy", form, browser)
		wantStatus(t, res, 422)
		wantText(t, body(t, res), "entered for another address", "api_key-problem")
		if p := s.both.Config.Providers[1]; p.BaseURL != "https://proxy.example.com/v1" {
			t.Errorf("it is now at %s", p.BaseURL)
		}
	}
	form.Set("base_url", "https://other.example.com/v1")
	form.Set("api_key", "sk-for-the-other")
	wantStatus(t, h.post("/console/providers/proxy", form, browser), 303)
	if p := s.both.Config.Providers[1]; p.BaseURL != "https://other.example.com/v1" || p.APIKey.Reveal() != "sk-for-the-other" {
		t.Errorf("it is now %+v", p)
	}
}

func revision(t *testing.T, page string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `name="revision" value="`)
	if !ok {
		t.Fatal("the page has no revision")
	}
	before, _, _ := strings.Cut(after, `"`)
	return before
}

func TestSecretsAreSealedInTheDatabase(t *testing.T) {
	t.Parallel()
	_, rooms := supplied(t)
	h := opened(t, rooms)
	addProvider(t, h, "proxy")
	folder := h.store.folder
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := false
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // a folder
		}
		if bytes.Contains(raw, []byte(upstreamKey)) {
			t.Errorf("%s has the secret in plain", name)
		}
		found = found || bytes.Contains(raw, []byte("proxy.example.com"))
	}
	if !found {
		t.Error("the record itself was not found: this test would not see a secret either")
	}
}

func TestAWrongProviderNamesItsField(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	for name, test := range map[string]struct {
		change url.Values
		says   string
		at     string
	}{
		"no name":      {url.Values{"id": {""}}, "Give it a name", "id-problem"},
		"a bad name":   {url.Values{"id": {"My Provider"}}, "a-z, 0-9", ""},
		"the file's":   {url.Values{"id": {"main"}}, "counts instead", "id-problem"},
		"no address":   {url.Values{"base_url": {"proxy"}}, "whole http://", "base_url-problem"},
		"a bad model":  {url.Values{"models": {"a\nb//c"}}, "letters, digits", "models-problem"},
		"a wrong kind": {url.Values{"kind": {"opnai"}}, "did you mean", ""},
		"an option":    {url.Values{"kind": {"bedrock"}, "base_url": {""}, "models": {"x"}}, "needs it", "options.region-hint"},
	} {
		form := url.Values{"id": {"proxy"}, "kind": {"openai"}, "base_url": {"https://proxy.example.com/v1"}, "api_key": {upstreamKey}, "models": {"*"}}
		maps.Copy(form, test.change)
		res := h.post("/console/providers", form, browser)
		page := body(t, res)
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, test.says) || !strings.Contains(page, test.at) {
			t.Errorf("%s: status %d, want %q at %q in %s", name, res.StatusCode, test.says, test.at, page)
		}
		if strings.Contains(page, upstreamKey) {
			t.Errorf("%s: the page has the secret", name)
		}
	}
	if len(s.now) != 0 {
		t.Errorf("something was saved: %v", s.now)
	}
}

func TestAProviderThatIsNeededIsNotDeleted(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	addProvider(t, h, "proxy")
	wantStatus(t, h.post("/console/models", url.Values{
		"id": {"fast"}, "target_provider": {"proxy"}, "target_model": {"gpt-5"}, "target_weight": {"1"}, "strategy": {"fallback"},
	}, browser), 303)
	res := h.post("/console/providers/proxy/delete", url.Values{}, browser)
	wantStatus(t, res, 409)
	wantText(t, body(t, res), "These would not work any more: fast")

	wantStatus(t, h.post("/console/providers/proxy/switch", url.Values{"on": {"0"}}, browser), 303)
	wantText(t, body(t, h.get("/console/providers/proxy", browser)), "switched off", "Switch on")
	if m := s.both.Config.Models[1]; m.ID != "fast" || len(m.Targets) != 0 {
		t.Errorf("a model of a provider that is off: %+v", m)
	}
	wantStatus(t, h.post("/console/models/delete", url.Values{"id": {"fast"}}, browser), 303)
	wantStatus(t, h.post("/console/providers/proxy/delete", url.Values{}, browser), 303)
	wantStatus(t, h.get("/console/providers/proxy", browser), 404)
	wantStatus(t, h.post("/console/providers/main/delete", url.Values{}, browser), 404)
	entries, err := h.store.Entries(t.Context(), access.Filter{Workspace: access.DefaultWorkspace, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range entries {
		if strings.HasPrefix(e.Action, "provider.") || strings.HasPrefix(e.Action, "model.") {
			actions = append(actions, e.Action+" "+e.Target)
		}
		if strings.Contains(e.Detail, upstreamKey) {
			t.Error("the audit log has the secret")
		}
	}
	want := "provider.delete proxy, model.delete fast, provider.disable proxy, model.create fast, provider.create proxy"
	if got := strings.Join(actions, ", "); got != want {
		t.Errorf("audit log:\n got %s\nwant %s", got, want)
	}
}

func TestTwoPeopleDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	_, rooms := supplied(t)
	h := opened(t, rooms)
	addProvider(t, h, "proxy")
	old := revision(t, body(t, h.get("/console/providers/proxy", browser)))
	form := url.Values{"revision": {old}, "base_url": {"https://proxy.example.com/v3"}}
	wantStatus(t, h.post("/console/providers/proxy", form, browser), 303)
	res := h.post("/console/providers/proxy", form, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "Somebody else changed it meanwhile")
}

func TestWhatTheFileOwnsIsReadOnly(t *testing.T) {
	t.Parallel()
	_, rooms := supplied(t)
	h := opened(t, rooms)
	page := body(t, h.get("/console/providers/main", browser))
	wantText(t, page, "kept in stele.yaml, line 2", "set, and not shown")
	if strings.Contains(page, "provider-form") || strings.Contains(page, "popovertarget=\"delete\"") {
		t.Error("a provider of the file can be changed")
	}
	wantStatus(t, h.post("/console/providers/main", url.Values{"base_url": {"https://evil.example.com"}}, browser), 403)
}

func TestTheTestButtonShowsWhatCameBack(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	s.trial = console.Trial{Did: "listed 2 models", Status: 200, Took: 120 * time.Millisecond, Models: []string{"gpt-5", "gpt-5-mini"}}
	page := body(t, h.post("/console/providers/main/test", url.Values{}, browser, header{"HX-Request", "true"}))
	wantText(t, page, "It works.", "It listed 2 models.", "Status 200", "after 120 ms", "gpt-5-mini")
	if strings.Contains(page, "<html") {
		t.Error("htmx got a whole page")
	}
	s.trial = console.Trial{Problem: "The provider refused the credentials (status 401). Check the API key.", Status: 401, Took: time.Second}
	wantText(t, body(t, h.post("/console/providers/main/test", url.Values{}, browser)), "<html", "It does not work.", "Check the API key.")
	wantStatus(t, h.post("/console/providers/none/test", url.Values{}, browser), 404)
}

func TestHealthIsShownWithoutOthersWordsToViewers(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	s.fails("main", "The server had an error while processing \"the client's words\"", h.clock().Add(-2*time.Minute))
	page := body(t, h.get("/console/providers/main", browser))
	wantText(t, page, "down", "1,200", "3%", "It failed or could not be reached.", "2 minutes ago", "the client&#39;s words", "open: not called")
	fragment := body(t, h.get("/console/providers/main?part=health", browser))
	wantText(t, fragment, "3%")
	if strings.Contains(fragment, "<html") {
		t.Error("the live part is a whole page")
	}
}

func TestWithoutSupplyTheRoomsAreNotThere(t *testing.T) {
	t.Parallel()
	h := opened(t)
	wantStatus(t, h.get("/console/providers", browser), 404)
	wantStatus(t, h.get("/console/models", browser), 404)
	if strings.Contains(body(t, h.get("/console/keys", browser)), "/console/providers") {
		t.Error("the navigation leads nowhere")
	}
}

func TestOnlyThoseWhoLookAfterTheInstallationChangeIt(t *testing.T) {
	t.Parallel()
	s, rooms := supplied(t)
	h := opened(t, rooms)
	addProvider(t, h, "proxy")
	s.fails("proxy", "words about somebody's request", h.clock())
	form := url.Values{"id": {"mine"}, "kind": {"openai"}, "on": {"0"}, "api_key": {"x"}}
	for _, who := range []struct {
		workspace string
		role      access.Role
	}{
		{access.DefaultWorkspace, access.Viewer}, {access.DefaultWorkspace, access.Member},
		{"acme", access.Owner}, {access.DefaultWorkspace, access.Owner},
	} {
		cookie, _ := h.as(string(who.role)+"@"+who.workspace+".example.com", who.workspace, who.role)
		h.with(cookie, func() {
			page := body(t, h.get("/console/providers/proxy", browser)) + body(t, h.get("/console/providers", browser)) + body(t, h.get("/console/models", browser))
			wantText(t, page, "proxy", "It failed or could not be reached.")
			for _, part := range []string{"Switch off", "Add provider", "Add model", "provider-form", "words about somebody", "/test",
				"proxy.example.com", "stele.yaml, line 2", "Base URL"} {
				if strings.Contains(page, part) {
					t.Errorf("%s of %s is shown %q", who.role, who.workspace, part)
				}
			}
			for _, path := range []string{"/console/providers", "/console/providers/proxy", "/console/providers/proxy/test", "/console/providers/proxy/switch",
				"/console/providers/proxy/delete", "/console/models", "/console/models/edit", "/console/models/delete"} {
				wantCode(t, h.post(path, form), 403, "permission_denied")
			}
			for _, path := range []string{"/console/providers/new", "/console/models/new", "/console/models/edit?id=steady"} {
				wantCode(t, h.get(path), 403, "permission_denied")
			}
		})
	}
	if len(s.now) != 1 || !s.now[0].Enabled {
		t.Errorf("something was changed: %+v", s.now)
	}
}

func TestALivePartLeadsToSignInWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	_, rooms := supplied(t)
	h := open(t, "https://stele.example.com/stele", rooms)
	res := h.get("/console/providers/main?part=health", browser, header{"HX-Request", "true"},
		header{"HX-Current-URL", "https://stele.example.com/stele/console/providers/main?saved"})
	wantStatus(t, res, 401)
	if got, want := res.Header.Get("HX-Redirect"), "/stele/console/signin?next=%2Fconsole%2Fproviders%2Fmain%3Fsaved"; got != want {
		t.Errorf("led to %q, want %q", got, want)
	}
}

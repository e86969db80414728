package providers_test

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
	"stele/internal/catalog"
	"stele/internal/console/consoletest"
)

func TestAProviderIsAddedAndItsSecretNeverSeenAgain(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	page := consoletest.Body(t, h.Get("/console/providers", consoletest.Browser))
	consoletest.WantText(t, page, "main", "stele.yaml, line 2", "not called yet", "Add provider")
	consoletest.AddProvider(t, h, "proxy")
	p := s.Both.Config.Providers[1]
	if p.Name != "proxy" || p.APIKey.Reveal() != consoletest.UpstreamKey || strings.Join(p.Models, " ") != "gpt-5 gpt-5-mini" {
		t.Fatalf("the provider is %+v", p)
	}
	for _, path := range []string{"/console/providers", "/console/providers/proxy", "/console/models", "/console/models/show?id=steady"} {
		res := h.Get(path, consoletest.Browser)
		consoletest.WantStatus(t, res, 200)
		if page := consoletest.Body(t, res); strings.Contains(page, consoletest.UpstreamKey) || strings.Contains(page, "sk-of-the-file") {
			t.Errorf("%s shows a secret", path)
		}
	}
	h.Pass(5 * time.Hour)
	page = consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser))
	consoletest.WantText(t, page, "set 5 hours ago", "https://proxy.example.com/v1", "Save changes")
	h.Confirm()

	// An empty field keeps the secret, a tick removes it.
	form := url.Values{"revision": {consoletest.Revision(t, page)}, "base_url": {"https://proxy.example.com/v2"}, "models": {"*"}}
	consoletest.WantStatus(t, h.Post("/console/providers/proxy", form, consoletest.Browser), 303)
	if p := s.Both.Config.Providers[1]; p.APIKey.Reveal() != consoletest.UpstreamKey || p.BaseURL != "https://proxy.example.com/v2" {
		t.Errorf("after a change: %+v", p)
	}
	form.Set("revision", consoletest.Revision(t, consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser))))
	form.Set("forget api_key", "1")
	consoletest.WantStatus(t, h.Post("/console/providers/proxy", form, consoletest.Browser), 303)
	if p := s.Both.Config.Providers[1]; p.APIKey != "" {
		t.Error("the secret is still there")
	}
}

func TestAnotherHostNeedsTheSecretAgain(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	consoletest.AddProvider(t, h, "proxy")
	form := url.Values{"revision": {consoletest.Revision(t, consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser)))}, "models": {"*"}}
	for _, base := range []string{"https://evil.example.com/v1", "http://proxy.example.com/v1", "https://proxy.example.com:444/v1", ""} {
		form.Set("base_url", base)
		res := h.Post("/console/providers/proxy", form, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), "entered for another address", "api_key-problem")
		if p := s.Both.Config.Providers[1]; p.BaseURL != "https://proxy.example.com/v1" {
			t.Errorf("it is now at %s", p.BaseURL)
		}
	}
	form.Set("base_url", "https://other.example.com/v1")
	form.Set("api_key", "sk-for-the-other")
	consoletest.WantStatus(t, h.Post("/console/providers/proxy", form, consoletest.Browser), 303)
	if p := s.Both.Config.Providers[1]; p.BaseURL != "https://other.example.com/v1" || p.APIKey.Reveal() != "sk-for-the-other" {
		t.Errorf("it is now %+v", p)
	}
}

func TestSecretsAreSealedInTheDatabase(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	consoletest.AddProvider(t, h, "proxy")
	folder := h.Store.Folder
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
		if bytes.Contains(raw, []byte(consoletest.UpstreamKey)) {
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
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
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
		"an option":    {url.Values{"kind": {"bedrock"}, "base_url": {""}, "models": {"x"}}, "needs it", "options.region-problem"},
	} {
		form := url.Values{"id": {"proxy"}, "kind": {"openai"}, "base_url": {"https://proxy.example.com/v1"}, "api_key": {consoletest.UpstreamKey}, "models": {"*"}}
		maps.Copy(form, test.change)
		res := h.Post("/console/providers", form, consoletest.Browser)
		page := consoletest.Body(t, res)
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, test.says) || !strings.Contains(page, test.at) {
			t.Errorf("%s: status %d, want %q at %q in %s", name, res.StatusCode, test.says, test.at, page)
		}
		if strings.Contains(page, consoletest.UpstreamKey) {
			t.Errorf("%s: the page has the secret", name)
		}
	}
	if len(s.Now) != 0 {
		t.Errorf("something was saved: %v", s.Now)
	}
}

func TestAProviderThatIsNeededIsNotDeleted(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	consoletest.AddProvider(t, h, "proxy")
	consoletest.WantStatus(t, h.Post("/console/models", url.Values{
		"id": {"fast"}, "target_provider": {"proxy"}, "target_model": {"gpt-5"}, "target_weight": {"1"}, "strategy": {"fallback"},
	}, consoletest.Browser), 303)
	res := h.Post("/console/providers/proxy/delete", url.Values{}, consoletest.Browser)
	consoletest.WantStatus(t, res, 409)
	consoletest.WantText(t, consoletest.Body(t, res), "These would not work any more: fast")

	consoletest.WantStatus(t, h.Post("/console/providers/proxy/switch", url.Values{"on": {"0"}}, consoletest.Browser), 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser)), "switched off", "Switch on")
	if m := s.Both.Config.Models[1]; m.ID != "fast" || len(m.Targets) != 0 {
		t.Errorf("a model of a provider that is off: %+v", m)
	}
	consoletest.WantStatus(t, h.Post("/console/models/delete", url.Values{"id": {"fast"}}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/providers/proxy/delete", url.Values{}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Get("/console/providers/proxy", consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Post("/console/providers/main/delete", url.Values{}, consoletest.Browser), 404)
	entries, err := h.Store.Entries(t.Context(), access.Filter{Workspace: access.DefaultWorkspace, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range entries {
		if strings.HasPrefix(e.Action, "provider.") || strings.HasPrefix(e.Action, "model.") {
			actions = append(actions, e.Action+" "+e.Target)
		}
		if strings.Contains(e.Detail, consoletest.UpstreamKey) {
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
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	consoletest.AddProvider(t, h, "proxy")
	old := consoletest.Revision(t, consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser)))
	form := url.Values{"revision": {old}, "base_url": {"https://proxy.example.com/v3"}}
	consoletest.WantStatus(t, h.Post("/console/providers/proxy", form, consoletest.Browser), 303)
	res := h.Post("/console/providers/proxy", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "Somebody else changed it meanwhile")
}

func TestWhatTheFileOwnsIsReadOnly(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	page := consoletest.Body(t, h.Get("/console/providers/main", consoletest.Browser))
	consoletest.WantText(t, page, "kept in stele.yaml, line 2", "set, and not shown")
	if strings.Contains(page, "provider-form") || strings.Contains(page, "popovertarget=\"delete\"") {
		t.Error("a provider of the file can be changed")
	}
	consoletest.WantStatus(t, h.Post("/console/providers/main", url.Values{"base_url": {"https://evil.example.com"}}, consoletest.Browser), 403)
}

func TestTheTestButtonShowsWhatCameBack(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	s.Trial = catalog.Trial{Did: "listed 2 models", Status: 200, Took: 120 * time.Millisecond, Models: []string{"gpt-5", "gpt-5-mini"}}
	page := consoletest.Body(t, h.Post("/console/providers/main/test", url.Values{}, consoletest.Browser, consoletest.With("HX-Request", "true")))
	consoletest.WantText(t, page, "It works.", "It listed 2 models.", "Status 200", "after 120 ms", "gpt-5-mini")
	if strings.Contains(page, "<html") {
		t.Error("htmx got a whole page")
	}
	s.Trial = catalog.Trial{Problem: "The provider refused the credentials (status 401). Check the API key.", Status: 401, Took: time.Second}
	consoletest.WantText(t, consoletest.Body(t, h.Post("/console/providers/main/test", url.Values{}, consoletest.Browser)), "<html", "It does not work.", "Check the API key.")
	consoletest.WantStatus(t, h.Post("/console/providers/none/test", url.Values{}, consoletest.Browser), 404)
}

func TestHealthIsShownWithoutOthersWordsToViewers(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	s.Fails("main", "The server had an error while processing \"the client's words\"", h.Clock().Add(-2*time.Minute))
	page := consoletest.Body(t, h.Get("/console/providers/main", consoletest.Browser))
	consoletest.WantText(t, page, "down", "1,200", "3%", "It failed or could not be reached.", "2 minutes ago", "the client&#39;s words", "open: not called")
	fragment := consoletest.Body(t, h.Get("/console/providers/main?part=health", consoletest.Browser))
	consoletest.WantText(t, fragment, "3%")
	if strings.Contains(fragment, "<html") {
		t.Error("the live part is a whole page")
	}
}

func TestWithoutSupplyTheRoomsAreNotThere(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	consoletest.WantStatus(t, h.Get("/console/providers", consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Get("/console/models", consoletest.Browser), 404)
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "/console/providers") {
		t.Error("the navigation leads nowhere")
	}
}

func TestOnlyThoseWhoLookAfterTheInstallationChangeIt(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	consoletest.AddProvider(t, h, "proxy")
	s.Fails("proxy", "words about somebody's request", h.Clock())
	form := url.Values{"id": {"mine"}, "kind": {"openai"}, "on": {"0"}, "api_key": {"x"}}
	for _, who := range []struct {
		workspace string
		role      access.Role
	}{
		{access.DefaultWorkspace, access.Viewer}, {access.DefaultWorkspace, access.Member},
		{"acme", access.Owner}, {access.DefaultWorkspace, access.Owner},
	} {
		cookie, _ := h.As(string(who.role)+"@"+who.workspace+".example.com", who.workspace, who.role)
		h.With(cookie, func() {
			page := consoletest.Body(t, h.Get("/console/providers/proxy", consoletest.Browser)) + consoletest.Body(t, h.Get("/console/providers", consoletest.Browser)) + consoletest.Body(t, h.Get("/console/models", consoletest.Browser))
			consoletest.WantText(t, page, "proxy", "It failed or could not be reached.")
			for _, part := range []string{"Switch off", "Add provider", "Add model", "provider-form", "words about somebody", "/test",
				"proxy.example.com", "stele.yaml, line 2", "Base URL"} {
				if strings.Contains(page, part) {
					t.Errorf("%s of %s is shown %q", who.role, who.workspace, part)
				}
			}
			for _, path := range []string{"/console/providers", "/console/providers/proxy", "/console/providers/proxy/test", "/console/providers/proxy/switch",
				"/console/providers/proxy/delete", "/console/models", "/console/models/edit", "/console/models/delete"} {
				consoletest.WantCode(t, h.Post(path, form), 403, "permission_denied")
			}
			for _, path := range []string{"/console/providers/new", "/console/models/new", "/console/models/edit?id=steady"} {
				consoletest.WantCode(t, h.Get(path), 403, "permission_denied")
			}
		})
	}
	if len(s.Now) != 1 || !s.Now[0].Enabled {
		t.Errorf("something was changed: %+v", s.Now)
	}
}

func TestALivePartLeadsToSignInWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.Open(t, "https://stele.example.com/stele", rooms)
	res := h.Get("/console/providers/main?part=health", consoletest.Browser, consoletest.With("HX-Request", "true"),
		consoletest.With("HX-Current-URL", "https://stele.example.com/stele/console/providers/main?saved"))
	consoletest.WantStatus(t, res, 401)
	if got, want := res.Header.Get("HX-Redirect"), "/stele/console/signin?next=%2Fconsole%2Fproviders%2Fmain%3Fsaved"; got != want {
		t.Errorf("led to %q, want %q", got, want)
	}
}

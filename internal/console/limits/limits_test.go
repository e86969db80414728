package limits_test

import (
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/limit"
)

func budget() limit.Limit {
	return limit.Limit{
		Workspace: "default", Name: "daily budget", Measure: limit.Dollars, Window: limit.Day, Amount: 10e9,
		Subject: []limit.Selector{{By: limit.ByKey, Value: limit.Each}},
	}
}

func TestAnOwnerSetsALimit(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	h.Cookie, _ = h.AsKnown("owner@example.com", "default", access.Owner)
	form := url.Values{"name": {"team"}, "measure": {"dollars"}, "window": {"month"}, "amount": {"much"}, "kind": {"hard"}, "marks": {"80, 100"}, "by1": {"tag:"}, "value1": {"team=search"}}
	res := h.Post("/console/limits", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "An amount of dollars is written as 12.50.", `aria-invalid="true"`, `value="team=search"`)
	for field, wrong := range map[string][2]string{
		"zone": {"Mars/Olympus", "There is no time zone"}, "marks": {"half", "Thresholds are percentages"}, "value1": {"=x", "are not told apart by"},
		"amount": {"12,50", "An amount of dollars is written as 12.50."}, // not $1,250
	} {
		bad := url.Values{}
		for name, value := range form {
			bad[name] = value
		}
		bad.Set("amount", "12.50")
		bad.Set(field, wrong[0])
		res := h.Post("/console/limits", bad, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), wrong[1])
	}
	form.Set("amount", "12.50")
	res = h.Post("/console/limits", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	at, _, _ := strings.Cut(res.Header.Get("Location"), "?")
	consoletest.WantText(t, consoletest.Body(t, h.Get(at, consoletest.Browser)), "$12.50 a month", "Tag team search", "Nothing was taken yet.", "80, 100 %", "Save")

	res = h.Post(at, url.Values{"name": {"team"}, "amount": {"$2,000"}, "kind": {"soft"}, "marks": {""}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get(at, consoletest.Browser)), "$2,000.00 a month", "Soft: it tells")
	consoletest.WantStatus(t, h.Post(at+"/delete", url.Values{}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Get(at, consoletest.Browser), 404)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/audit", consoletest.Browser)), "made the limit", "changed the limit", "deleted the limit")
}

func TestWhatAnAdministratorSetIsTheirs(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	l := h.Limit(budget(), "key_1", 5e9)
	at := "/console/limits/" + l.ID
	h.Cookie, _ = h.AsKnown("owner@example.com", "default", access.Owner)
	page := consoletest.Body(t, h.Get(at, consoletest.Browser))
	consoletest.WantText(t, page, "An administrator set it")
	if strings.Contains(page, "change-limit") {
		t.Error("an owner is offered to change what an administrator set")
	}
	consoletest.WantCode(t, h.Post(at, url.Values{"name": {"x"}, "amount": {"1"}, "kind": {"hard"}}), 403, "permission_denied")
	consoletest.WantCode(t, h.Post(at+"/delete", url.Values{}), 403, "permission_denied")
	// Whole-installation limits are not an owner's to make: theirs is one of the workspace.
	res := h.Post("/console/limits", url.Values{"name": {"all"}, "of": {"all"}, "measure": {"requests"}, "window": {"day"}, "amount": {"5"}, "kind": {"hard"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get(strings.SplitN(res.Header.Get("Location"), "?", 2)[0], consoletest.Browser)), "All calls of the workspace")

	h.Cookie, _ = h.As("viewer2@example.com", "default", access.Viewer)
	page = consoletest.Body(t, h.Get("/console/limits", consoletest.Browser))
	consoletest.WantText(t, page, "daily budget", "$5.00 of $10.00 taken")
	if strings.Contains(page, "New limit") {
		t.Error("a viewer is offered a form")
	}
	consoletest.WantCode(t, h.Post("/console/limits", url.Values{}), 403, "permission_denied")
}

func TestBarsTellWhatIsTakenHeldAndLeft(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithStart)
	who, _, err := h.Access.Admit(h.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	l := h.Limit(budget(), "key_small", 1e9)
	h.Take(l, who.Key, 8.5e9)
	page := consoletest.Body(t, h.Get("/console/limits/"+l.ID, consoletest.Browser))
	consoletest.WantText(t, page, "key first key", "$8.50 of $10.00 taken · $0.85 held", "$0.65 left", `<rect class="warn" x="0.0" width="85.0"`, `<rect class="held" x="85.0" width="8.5"`, "key key_small", "key first key, and others")
	if strings.Index(page, "key first key") > strings.Index(page, "key key_small") {
		t.Error("who took most is not first")
	}
	before := page[strings.Index(page, "?until="):]
	before = before[:strings.IndexByte(before, '"')]
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/limits/"+l.ID+before, consoletest.Browser)), "The window until 15 Nov 2026, 00:00 UTC", "$4.25 of $10.00")
	for _, path := range []string{"/console/", "/console/usage"} {
		consoletest.WantText(t, consoletest.Body(t, h.Get(path, consoletest.Browser)), "daily budget", "key first key", "$8.50 of $10.00 taken", "85%")
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys/"+who.Key, consoletest.Browser)), "daily budget", "$8.50 of $10.00 taken")
}

func TestTheSumsAreShown(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	l := h.Limit(budget(), "key_1", 5e9)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/money", consoletest.Browser)), "Add up now")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/money?now", consoletest.Browser)), "Everything agrees.", "2 counters and 2 requests")
	if _, err := h.Store.Writer().ExecContext(t.Context(), "UPDATE limit_counters SET settled = settled + 1 WHERE settled = 5000000000"); err != nil {
		t.Fatal(err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/money?now", consoletest.Browser)), "The sums differ.", l.ID, "5,000,000,001", "5,000,000,000")
	h.Cookie, _ = h.As("owner@example.com", "default", access.Owner)
	consoletest.WantCode(t, h.Get("/console/money"), 403, "permission_denied")
}

func TestAnotherWorkspaceSeesNothing(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	l := h.Limit(budget(), "key_1", 5e9)
	if _, err := h.Access.CreateWorkspace(t.Context(), access.CommandLine("default"), "other", "Other"); err != nil {
		t.Fatal(err)
	}
	h.Cookie, _ = h.As("stranger@example.com", "other", access.Owner)
	if strings.Contains(consoletest.Body(t, h.Get("/console/limits", consoletest.Browser)), "daily budget") {
		t.Error("a limit of another workspace is listed")
	}
	consoletest.WantCode(t, h.Get("/console/limits/"+l.ID), 404, "not_found")
	consoletest.WantCode(t, h.Post("/console/limits/"+l.ID+"/delete", url.Values{}), 404, "not_found")
}

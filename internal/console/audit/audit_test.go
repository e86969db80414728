package audit_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

var olderIn = regexp.MustCompile(`href="([^"]+)" rel="next"`)

func TestTheAuditLogIsReadInPages(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	for i := range 120 {
		h.Pass(time.Second)
		if _, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: fmt.Sprintf("key %03d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(map[string]int)
	pages := 0
	for at := "/console/audit?action=key.create"; at != ""; pages++ {
		page := consoletest.Body(t, h.Get(at, consoletest.Browser))
		for i := range 120 {
			if name := fmt.Sprintf("key %03d<", i); strings.Contains(page, name) {
				seen[name]++
			}
		}
		at = ""
		if found := olderIn.FindStringSubmatch(page); found != nil {
			at = strings.ReplaceAll(found[1], "&amp;", "&")
			consoletest.WantText(t, page, "made the key", "Command line")
		}
	}
	if len(seen) != 120 || pages != 3 {
		t.Errorf("%d keys on %d pages", len(seen), pages)
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%s is there %d times", name, times)
		}
	}
	consoletest.WantStatus(t, h.Get("/console/audit?before=x", consoletest.Browser), 422)
	consoletest.WantStatus(t, h.Get("/console/audit?day=tomorrow", consoletest.Browser), 422)
}

func TestTheAuditLogIsFiltered(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	k, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "=HYPERLINK(1)"})
	if err != nil {
		t.Fatal(err)
	}
	h.Pass(24 * time.Hour)
	h.SignOnAgain(t)
	consoletest.WantStatus(t, h.Post("/console/keys/"+k.ID+"/revoke", url.Values{}, consoletest.Browser), 303)
	for query, want := range map[string][2]string{
		"?target=" + k.ID:                 {"revoked the key", "signed in"},
		"?target=%3DHYPERLINK%281%29":     {"revoked the key", "signed in"},
		"?action=session.signin":          {"signed in from", "made the key"},
		"?actor=command-line":             {"made the key", "revoked the key <"},
		"?day=2026-11-15":                 {"made the key", "revoked the key <"},
		"?day=2026-11-16":                 {"revoked the key <", "made the key"},
		"?day=2026-11-17":                 {"Nothing fits", "revoked the key"},
		"?action=made.up&target=anything": {"made.up", "revoked the key"},
	} {
		_, page, _ := strings.Cut(consoletest.Body(t, h.Get("/console/audit"+query, consoletest.Browser)), "audit-filters")
		consoletest.WantText(t, page, want[0])
		_, list, _ := strings.Cut(page, "</form>")
		if strings.Contains(list, want[1]) {
			t.Errorf("%s shows %q", query, want[1])
		}
	}
	res := h.Get("/console/audit.csv?target=" + k.ID)
	if got := res.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("the type is %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(consoletest.Body(t, res))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v, %v", rows, err)
	}
	if got := strings.Join(rows[1][:6], " "); !strings.HasPrefix(got, "2026-11-16T09:30:00Z "+consoletest.Email) || !strings.HasSuffix(got, "key.revoke "+k.ID+" '=HYPERLINK(1)") {
		t.Errorf("the row is %s", got)
	}
}

func TestSignInsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	h.With("", func() {
		h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {"wrong"}}, consoletest.Browser)
		cookie := consoletest.SessionCookie(t, h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}, consoletest.Browser)).Value
		h.With(cookie, func() { consoletest.WantStatus(t, h.Post("/console/signout", url.Values{}, consoletest.Browser), 303) })
	})
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/audit", consoletest.Browser)),
		"was refused at the door:", consoletest.Email+" from 192.0.2.1", "signed in from", "signed out from", "made the key", "Command line", "added")
}

func TestTheAuditLogShowsWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	lags := []console.AuditLag{{Place: "address", Behind: 7, Problem: "the address answered with status 502"}, {Place: "file", Behind: 1}}
	h := consoletest.OpenSignedIn(t, func(_ *consoletest.House, o *console.Options) {
		o.AuditLags = func(context.Context) ([]console.AuditLag, error) { return lags, nil }
	})
	who := access.CommandLine("default")
	err := h.Access.Note(t.Context(), who, "provider.update", "openai", "", access.Change{Field: "base_url", Old: "https://a.example.com", New: "=cmd()<b>"},
		access.Change{Field: "api_key", New: "changed"})
	if err != nil {
		t.Fatal(err)
	}
	page := consoletest.Body(t, h.Get("/console/audit?action=provider.update", consoletest.Browser))
	consoletest.WantText(t, page, "2 changes", "base_url", "<del>https://a.example.com</del>", "<ins>=cmd()&lt;b&gt;</ins>", "<ins>changed</ins>",
		"7 entries have not been sent on to the address yet.", "status 502")
	if strings.Contains(page, "to the file yet") {
		t.Error("one entry on its way is told of")
	}
	rows, err := csv.NewReader(strings.NewReader(consoletest.Body(t, h.Get("/console/audit.csv?action=provider.update")))).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][7] != "base_url: https://a.example.com → =cmd()<b>; api_key: changed" || len(rows[1][9]) != 64 {
		t.Errorf("rows are %v, %v", rows, err)
	}
	cookie, _ := h.As("o@example.com", "default", access.Owner)
	h.With(cookie, func() {
		if strings.Contains(consoletest.Body(t, h.Get("/console/audit", consoletest.Browser)), "502") {
			t.Error("an owner is told where the installation sends its log")
		}
	})
}

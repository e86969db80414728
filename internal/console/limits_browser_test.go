package console_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"stele/internal/console/consoletest"
	"stele/internal/limit"
)

//nolint:paralleltest // one browser is enough for a small machine
func TestLimitsInABrowser(t *testing.T) {
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithStart)
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	who, _, err := h.Access.Admit(h.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	l := h.Limit(limit.Limit{
		Workspace: "default", Name: "daily budget of each key", Measure: limit.Dollars, Window: limit.Day, Amount: 10e9,
		Subject: []limit.Selector{{By: limit.ByKey, Value: limit.Each}},
	}, who.Key, 8.5e9)
	h.Take(l, "key_of_long_ago", 2e9)
	h.Limit(limit.Limit{Workspace: "default", Name: "tokens", Measure: limit.Tokens, Window: limit.Day, Amount: 2_000_000}, "", 2_000_000)
	h.Limit(limit.Limit{Name: "requests a minute", Measure: limit.Requests, Window: limit.Minute, Amount: 600, Soft: true}, "", 0)
	for _, room := range screens {
		b := launch(t, room.width)
		b.visit(server.URL + "/console/signin")
		b.fill("#email", consoletest.Email)
		b.fill("#password", consoletest.Password)
		b.submit("form.stack button")
		b.shows("daily budget of each key", "85%")
		b.look("start with limits")
		b.axe()
		b.visit(server.URL + "/console/keys/" + who.Key)
		b.shows("daily budget of each key")
		b.look("key with limits")
		b.axe()
		b.visit(server.URL + "/console/limits")
		b.look("limits")
		b.click(".maker > summary")
		b.look("limit form")
		b.axe()
		b.fill("#name", "search team")
		b.fill("#amount", "lots")
		b.choose("#by1", "tag:")
		b.fill("#value1", "team=search")
		b.submit("#new-limit .button.primary")
		b.shows("An amount of dollars is written as 12.50.")
		b.look("limit form mistake")
		b.axe()
		b.fill("#amount", "250")
		b.submit("#new-limit .button.primary")
		b.shows("Made.", "$250.00 a month", "Nothing was taken yet.")
		b.axe()
		b.click("[popovertarget=delete-limit]")
		b.look("limit delete")
		b.submit(".ask:popover-open .danger.solid")
		b.shows("The limit is gone.")
		b.visit(server.URL + "/console/limits/" + l.ID)
		b.shows("$8.50 of $10.00 taken", "Before")
		b.look("limit")
		b.axe()
	}
}

package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"stele/internal/console/consoletest"
)

// makers are forms that make something: where they are, what is filled in, and what there is one more of.
var makers = []struct {
	path, form, made string
	fill             map[string]string
}{
	{"/console/keys", "#new-key", "table.keys tbody tr", map[string]string{"#name": "shop 🎉 <b>"}},
	{"/console/limits", "#new-limit", `.main a[href*="/console/limits/"]`, map[string]string{"#name": "team", "#amount": " 1,000 "}},
	{"/console/credits", `form[action$="/console/credits"]`, ".table tbody tr", map[string]string{"#amount": "12.50"}},
	{"/console/webhooks", "#new-endpoint", `a[href*="/console/webhooks/ep_"]`, map[string]string{"#address": "https://hooks.example.com/a"}},
	{"/console/people", "#new-person", ".table tbody tr", map[string]string{"#email": "new@example.com"}},
}

//nolint:paralleltest // one browser is enough for a small machine
func TestFormsInABrowser(t *testing.T) {
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithWebhooks(new(consoletest.Post)))
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	b := launch(t, 1280)
	b.visit(server.URL + "/console/signin")
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.submit("form.stack button")
	fillIn := func(path string, fields map[string]string) {
		b.visit(server.URL + path)
		evaluate[bool](b, `(() => { const m = document.querySelector("details.maker"); if (m) m.open = true; return true })()`)
		for field, text := range fields {
			b.fill(field, text)
		}
	}
	for _, m := range makers { // a double click makes one
		b.visit(server.URL + m.path)
		before := b.count(m.made)
		fillIn(m.path, m.fill)
		b.leave(chromedp.DoubleClick(chromedp.CSS(m.form + " button.primary")))
		b.visit(server.URL + m.path)
		if made := b.count(m.made) - before; made != 1 {
			b.Errorf("%s: a double click made %d", m.path, made)
		}
	}
	for _, m := range makers { // with a session that has ended nothing is lost
		fillIn(m.path, m.fill)
		h.Pass(48 * time.Hour)
		b.do(chromedp.DoubleClick(chromedp.CSS(m.form + " button.primary")))
		awaits(b, `document.querySelectorAll("[data-unsent]").length === 1`)
		b.shows("Your session has ended. What you filled in is still here: sign in in another tab")
		b.look("session ended " + strings.TrimPrefix(m.path, "/console/"))
		for field, text := range m.fill {
			if got := evaluate[string](b, fmt.Sprintf("document.querySelector(%q).value", field)); got != text {
				b.Errorf("%s: %s has %q", m.path, field, got)
			}
		}
		h.Pass(-48 * time.Hour)
	}
	b.axe()
	m := makers[0] // and the form can be sent once its sender is back
	b.visit(server.URL + m.path)
	before := b.count(m.made)
	fillIn(m.path, m.fill)
	h.Pass(48 * time.Hour)
	b.click(m.form + " button.primary")
	awaits(b, `document.querySelectorAll("[data-unsent]").length === 1`)
	evaluate[bool](b, fmt.Sprintf(`fetch("/console/signin", {method: "POST", body: new URLSearchParams({email: %q, password: %q})}).then(() => { window.back = true }) && true`, consoletest.Email, consoletest.Password))
	awaits(b, "window.back")
	b.submit(m.form + " button.primary")
	b.visit(server.URL + m.path)
	if made := b.count(m.made) - before; made != 1 {
		b.Errorf("%s: sent again it made %d", m.path, made)
	}
}

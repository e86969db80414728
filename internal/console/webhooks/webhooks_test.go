package webhooks_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/limit"
)

// receiver is a server that checks signatures with all secrets it knows.
type receiver struct {
	*httptest.Server

	status  int
	secrets []string
	signed  []int // of each message, how many of the secrets have signed it
	bodies  []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	v := &receiver{status: http.StatusOK}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := 0
		for _, secret := range v.secrets {
			checker, err := standardwebhooks.NewWebhook(secret)
			if err == nil && checker.VerifyIgnoringTimestamp(body, r.Header) == nil {
				n++
			}
		}
		v.signed, v.bodies = append(v.signed, n), append(v.bodies, string(body))
		w.WriteHeader(v.status)
		_, _ = io.WriteString(w, "what the receiver\x00 said <b>")
	}))
	t.Cleanup(v.Close)
	return v
}

func daily() limit.Limit {
	return limit.Limit{Workspace: "default", Name: "daily budget", Measure: limit.Dollars, Window: limit.Day, Amount: 10e9}
}

var secretText = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

func secretOf(t *testing.T, page string) string {
	t.Helper()
	secret := secretText.FindString(strings.ReplaceAll(page, "&#43;", "+"))
	if secret == "" {
		t.Fatal("no secret is shown")
	}
	return secret
}

func TestAnEndpointIsMadeToldRotatedAndSentAgain(t *testing.T) {
	t.Parallel()
	var post consoletest.Post
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithStart, consoletest.WithWebhooks(&post))
	to := newReceiver(t)
	h.Cookie, _ = h.AsKnown("owner@example.com", "default", access.Owner)
	for address, sentence := range map[string]string{"http://10.0.0.1/": "cannot be used", "ftp://example.com": "cannot be used", "not@@a.mailbox": "not the address of one mailbox"} {
		res := h.Post("/console/webhooks", url.Values{"address": {address}}, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), sentence, `aria-invalid="true"`)
	}
	res := h.Post("/console/webhooks", url.Values{"address": {to.URL + "/hook"}, "event": {"limit.reached"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	to.secrets = []string{secretOf(t, consoletest.Body(t, res))}

	list := consoletest.Body(t, h.Get("/console/webhooks", consoletest.Browser))
	consoletest.WantText(t, list, to.URL+"/hook", "Limit reached", "owner@example.com", "Nothing was sent yet.")
	if strings.Contains(list, "whsec_") {
		t.Error("the secret is shown twice")
	}
	at := "/console/webhooks/" + regexp.MustCompile(`ep_[0-9a-zA-Z]+`).FindString(list)

	to.status = http.StatusInternalServerError
	h.Limit(daily(), "", 8.5e9)
	post.Deliver(h)
	page := consoletest.Body(t, h.Get(at, consoletest.Browser))
	consoletest.WantText(t, page, "limit.reached", "On its way", "500", "the receiver answered 500", "what the receiver� said &lt;b&gt;", "one try", "next", "&#34;percentage&#34;:80")
	if len(to.bodies) != 2 || to.signed[0] != 1 || to.signed[1] != 1 {
		t.Errorf("%d messages, signed %v", len(to.bodies), to.signed)
	}

	to.status = http.StatusGone
	post.Deliver(h) // nothing waits: the queue has their next attempts
	if _, err := h.Store.Writer().ExecContext(t.Context(), "UPDATE deliveries SET state = 'given_up'"); err != nil {
		t.Fatal(err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/webhooks?state=given_up", consoletest.Browser)), "2 given up", "Given up")

	res = h.Post(at+"/rotate", url.Values{"grace": {"1d"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	to.secrets = append(to.secrets, secretOf(t, consoletest.Body(t, res)))
	to.status = http.StatusNoContent
	res = h.Post("/console/webhooks/replay", url.Values{"endpoint": {strings.TrimPrefix(at, "/console/webhooks/")}, "state": {"given_up"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	post.Deliver(h)
	if len(to.signed) != 4 || to.signed[2] != 2 || to.signed[3] != 2 {
		t.Errorf("signed by %v of the secrets, want the last two messages by both", to.signed)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get(at, consoletest.Browser)), "Delivered", "204")

	res = h.Post(at, url.Values{"address": {to.URL + "/hook"}, "state": {"off"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get(at, consoletest.Browser)), "It is off")
	consoletest.WantStatus(t, h.Post(at+"/delete", url.Values{}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Get(at, consoletest.Browser), 404)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/audit", consoletest.Browser)),
		"made the endpoint", "changed the endpoint", "made a new secret for the endpoint", "deleted the endpoint")
}

func TestOnlyOwnersChangeEndpoints(t *testing.T) {
	t.Parallel()
	var post consoletest.Post
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithWebhooks(&post))
	res := h.Post("/console/webhooks", url.Values{"address": {"ops@example.com"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	at, _, _ := strings.Cut(res.Header.Get("Location"), "?")
	res = h.Post("/console/webhooks", url.Values{"address": {"https://example.com/all"}, "of": {"all"}, "event": {"limit.reached"}}, consoletest.Browser)
	everywhere := regexp.MustCompile(`ep_[0-9a-zA-Z]+`).FindString(consoletest.Body(t, res))
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/webhooks", consoletest.Browser)), "ops@example.com", "installation", "Send me none")

	h.Cookie, _ = h.As("member@example.com", "default", access.Member)
	page := consoletest.Body(t, h.Get(at, consoletest.Browser))
	consoletest.WantText(t, page, "ops@example.com")
	if strings.Contains(page, "change-endpoint") {
		t.Error("a member is offered to change an endpoint")
	}
	consoletest.WantCode(t, h.Get("/console/webhooks/"+everywhere), 404, "not_found")
	consoletest.WantCode(t, h.Post(at+"/delete", url.Values{}), 403, "permission_denied")
	consoletest.WantCode(t, h.Post("/console/webhooks/replay", url.Values{"state": {"given_up"}}), 403, "permission_denied")
	h.Cookie, _ = h.AsKnown("stranger@example.com", "acme", access.Owner)
	consoletest.WantCode(t, h.Get(at), 404, "not_found")
	consoletest.WantCode(t, h.Post(at+"/rotate", url.Values{}), 404, "not_found")
	h.Cookie, _ = h.AsKnown("boss@example.com", "default", access.Owner)
	res = h.Post("/console/webhooks", url.Values{"address": {"https://example.com/mine"}, "of": {"all"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200) // it is one of the workspace
	consoletest.WantStatus(t, h.Post("/console/webhooks/mail", url.Values{"mail": {"off"}}, consoletest.Browser), 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/webhooks", consoletest.Browser)), "Send me mail again")
}

func TestANoticeIsShownUntilItIsDismissed(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithStart)
	h.Limit(daily(), "", 8.5e9)
	h.Limit(limit.Limit{Name: "all of it", Measure: limit.Dollars, Window: limit.Day, Amount: 16e9}, "", 8.5e9)
	const count = `<span class="count">2<span class="hidden"> new</span></span>`
	start := consoletest.Body(t, h.Get("/console/", consoletest.Browser))
	consoletest.WantText(t, start, "<strong>80 %</strong>", "<strong>50 %</strong>", "$8.50 of $10.00", "all of it", count)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), count)
	until := regexp.MustCompile(`name="until" value="(\d+)"`).FindStringSubmatch(start)

	admin := h.Cookie
	h.Cookie, _ = h.As("viewer@example.com", "default", access.Viewer)
	start = consoletest.Body(t, h.Get("/console/", consoletest.Browser))
	consoletest.WantText(t, start, "<strong>80 %</strong>")
	if strings.Contains(start, "all of it") {
		t.Error("a viewer hears of the installation's limits")
	}
	h.Cookie = admin
	consoletest.WantStatus(t, h.Post("/console/notices", url.Values{"until": {until[1]}}, consoletest.Browser), 303)
	if start = consoletest.Body(t, h.Get("/console/", consoletest.Browser)); strings.Contains(start, "<strong>80 %</strong>") || strings.Contains(start, `class="count"`) {
		t.Error("what was dismissed is shown")
	}
	h.Cookie, _ = h.As("viewer2@example.com", "default", access.Viewer)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "<strong>80 %</strong>")
}

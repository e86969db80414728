package passing

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestNothingOfTheOperatorsReachesAClient has every upstream fail in every way in
// all nine pairs, whole and streamed, and looks for what is the operator's alone
// in every header and body: the key, the account's name, the address.
func TestNothingOfTheOperatorsReachesAClient(t *testing.T) {
	t.Parallel()
	const tells = "Incorrect API key " + upstream.Key + " of org-Abcdef123456 at https://internal.example/v1?key=" + upstream.Key
	ways := []struct {
		name   string
		answer upstream.Answer
	}{
		{"good", upstream.Usual()}, {"limited", upstream.RateLimited(9 * time.Second)}, {"spent", upstream.QuotaGone()}, {"busy", upstream.Overloaded()},
		{"long", upstream.TooLong()}, {"broken", upstream.Broken()}, {"locked", upstream.BadKey()}, {"page", upstream.HTML(http.StatusBadGateway)},
		{"page200", upstream.HTML(http.StatusOK)}, {"tells400", upstream.Fail(http.StatusBadRequest, tells)},
		{"tells401", upstream.Fail(http.StatusUnauthorized, tells)}, {"tells403", upstream.Fail(http.StatusForbidden, tells)},
		{"tells404", upstream.Fail(http.StatusNotFound, tells)}, {"tells413", upstream.Fail(http.StatusRequestEntityTooLarge, tells)},
		{"tells500", upstream.Fail(http.StatusInternalServerError, tells)}, {"tells418", upstream.Fail(http.StatusTeapot, tells)},
		{"in200", upstream.ErrorIn200()}, {"after0", upstream.ErrorAfter(0)}, {"after2", upstream.ErrorAfter(2)}, {"cut", upstream.CutFrames(2)},
		{"plain", upstream.Raw(http.StatusInternalServerError, "text/plain", tells)}, {"plain200", upstream.Raw(http.StatusOK, "text/plain", tells)},
		{"moved", upstream.Chain(upstream.Raw(http.StatusFound, "text/html", tells), upstream.WithHeader("Location", "https://internal.example/"))},
		{"data", upstream.Chain(upstream.Raw(http.StatusOK, "text/event-stream", `{"error":{"message":"`+tells+`"}}`+"\n\n"))},
	}
	var models strings.Builder
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			for _, way := range ways {
				name := fmt.Sprintf("%s-%s-%s", client, away, way.name)
				fmt.Fprintf(&models, "  %s: {targets: [%s/%s-%[1]s], retries: 0}\n", name, away, rig.UsualModel[away])
			}
		}
	}
	r := rig.NewFront(t, "", models.String())
	rig.Pairs(t, func(t *testing.T, client, away string) {
		for _, way := range ways {
			name := fmt.Sprintf("%s-%s-%s", client, away, way.name)
			r.On(away, rig.UsualModel[away]+"-"+name, way.answer)
			for _, stream := range []bool{false, true} {
				h := r.Hear(t, rig.Ask(client, name, "hi", stream))
				all := fmt.Sprint(h.Header, h.Body)
				for _, secret := range []string{rig.OperatorsName, upstream.Key, r.Up[away].URL, strings.TrimPrefix(r.Up[away].URL, "http://"), "Abcdef123456", "internal.example", "<html"} {
					if strings.Contains(all, secret) {
						t.Errorf("%s%s tells %q: %d %s", name, rig.Streamed(stream), secret, h.Status, all)
					}
				}
				for header := range h.Header {
					if !strings.HasPrefix(header, "X-Stele-") && !ourHeaders[header] {
						t.Errorf("%s%s: the header %s: %q", name, rig.Streamed(stream), header, h.Header[header])
					}
				}
				if way.name == "cut" && !stream {
					continue // it is one frame
				}
				if (way.name == "good") != (h.Status == http.StatusOK && h.Err == nil && !strings.Contains(h.Body, `"error"`)) {
					t.Errorf("%s%s: %d %s (%v)", name, rig.Streamed(stream), h.Status, h.Body, h.Err)
				}
			}
		}
	})
}

// ourHeaders are all that an answer of the chat routes may have.
var ourHeaders = map[string]bool{
	"Cache-Control": true, "Content-Length": true, "Content-Type": true, "Date": true, "Request-Id": true, "Retry-After": true, "Retry-After-Ms": true,
	"X-Accel-Buffering": true, "X-Content-Type-Options": true, "X-Request-Id": true, "X-Should-Retry": true,
}

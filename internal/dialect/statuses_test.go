package dialect_test

import (
	"fmt"
	"net/http"
	"testing"
)

// An upstream's status means the same to a client, whichever dialect the upstream speaks
// and whatever its words are.
func TestAStatusMeansTheSameFromEveryUpstream(t *testing.T) {
	t.Parallel()
	bodies := map[string][]string{
		O: {`{"error":{"message":"no","type":"x","param":null,"code":null}}`, `{"detail":"no"}`},
		A: {`{"type":"error","error":{"type":"some_error","message":"no"}}`},
		G: {`{"error":{"code":%d,"message":"no","status":"UNKNOWN"}}`, `[{"error":{"code":%d,"message":"no","status":"UNKNOWN"}}]`},
	}
	silent := []string{``, `<html>no</html>`, `{}`}
	for _, row := range []struct {
		status int
		openai int // what OpenAI's clients get
		mute   int // the same where nothing is said
	}{
		{400, 400, 502}, {401, 502, 502}, {402, 502, 502}, {403, 502, 502}, {404, 404, 502}, {405, 502, 502},
		{408, 504, 504}, {409, 503, 503}, {410, 502, 502}, {413, 413, 413}, {415, 502, 502}, {418, 400, 502},
		{422, 400, 502}, {425, 503, 503}, {429, 429, 429}, {500, 502, 502}, {501, 502, 502}, {502, 502, 502},
		{503, 503, 503}, {504, 504, 504}, {520, 502, 502}, {524, 504, 504}, {529, 503, 503},
	} {
		for _, to := range []string{O, A, G} {
			for _, from := range []string{O, A, G} {
				check := func(body string, want int) {
					t.Helper()
					switch {
					case want == http.StatusBadGateway && from != O:
						want = http.StatusInternalServerError
					case want == http.StatusServiceUnavailable && from == A:
						want = 529
					}
					l := try(t, trip{from: from, to: to, ask: plain[from], status: row.status, answers: []string{body}})
					if l.status != want {
						t.Errorf("%d of %s with %q: %d to %s, want %d: %s", row.status, to, body, l.status, from, want, l.body)
					}
				}
				for _, body := range bodies[to] {
					if to == G {
						body = fmt.Sprintf(body, row.status)
					}
					check(body, row.openai)
				}
				for _, body := range silent {
					check(body, row.mute)
				}
			}
		}
	}
}

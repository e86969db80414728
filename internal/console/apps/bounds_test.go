package apps_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stele/internal/console/consoletest"
	"stele/internal/race"
)

// TestNoTextOfAnAppEndsTheProcess sends what overflows a parser's stack wherever a text
// can be sent. The first that gets through ends this test with the process.
func TestNoTextOfAnAppEndsTheProcess(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it reads many megabytes")
	h, _ := consoletest.OpenApps(t)
	consoletest.WantStatus(t, h.Post("/console/apps/new", url.Values{"id": {"deep"}}, consoletest.Browser), 303)
	const n = 500_000
	for _, opening := range []string{"(", "[", "{", "-", "!", "not ", "a?", "a?b:", "x|", "a.", "{a:"} {
		for _, source := range []string{
			"app: deep\nmedia_type: image\nsteps:\n  - id: a\n    when: ${" + strings.Repeat(opening, n/len(opening)) + "}\n    chat: {model: stele/sandbox, prompt: hi}\nresult: {texts: hi}\n",
			"app: deep\nmedia_type: image\nsteps:\n  - id: a\n    chat: {model: stele/sandbox, prompt: hi}\nresult: {texts: '${" + strings.Repeat(opening, 20_000/len(opening)) + "}'}\n",
		} {
			for _, path := range []string{"/console/apps/check", "/console/apps/deep/edit", "/console/apps/deep/publish"} {
				var form bytes.Buffer
				w := multipart.NewWriter(&form)
				_ = w.WriteField("app", "deep")
				_ = w.WriteField("source", source)
				_ = w.Close()
				r := httptest.NewRequest(http.MethodPost, h.Base+path, &form)
				if res := h.Send(r, consoletest.With("Content-Type", w.FormDataContentType()), consoletest.Browser); res.StatusCode >= 500 {
					t.Errorf("%s with %s answers %d", path, opening, res.StatusCode)
				}
				consoletest.WantStatus(t, h.Get("/console/apps/deep/edit", consoletest.Browser), 200)
			}
		}
	}
}

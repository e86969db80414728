package console_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestNoTextOfAnAppEndsTheProcess sends what overflows a parser's stack wherever a text
// can be sent. The first that gets through ends this test with the process.
func TestNoTextOfAnAppEndsTheProcess(t *testing.T) {
	t.Parallel()
	h, _ := openApps(t)
	wantStatus(t, h.post("/console/apps/new", url.Values{"id": {"deep"}}, browser), 303)
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
				r := httptest.NewRequest(http.MethodPost, h.base+path, &form)
				if res := h.send(r, header{"Content-Type", w.FormDataContentType()}, browser); res.StatusCode >= 500 {
					t.Errorf("%s with %s answers %d", path, opening, res.StatusCode)
				}
				wantStatus(t, h.get("/console/apps/deep/edit", browser), 200)
			}
		}
	}
}

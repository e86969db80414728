package reference_test

import (
	"compress/gzip"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	openapi "stele/api"
	"stele/internal/console/consoletest"
)

func TestTheReferenceListsEveryOperation(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "https://stele.example.org/ai")
	res := h.Get("/reference", consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	page := consoletest.Body(t, res)

	var got []string
	line := regexp.MustCompile(`<p class="line"><span class="method \w+">(\w+)</span> <code>([^<]+)</code>`)
	for _, m := range line.FindAllStringSubmatch(page, -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{
		"GET /api/v1/media_models", "GET /api/v1/models",
		"POST /api/v1/chat/completions", "POST /api/v1/messages",
		"POST /api/v1beta/models/{model}:generateContent", "POST /api/v1beta/models/{model}:streamGenerateContent",
		"POST /api/v1/files", "POST /api/v1/generations", "GET /api/v1/generations/{id}",
		"GET /api/v1/apps", "GET /api/v1/apps/{app}", "POST /api/v1/apps/{app}/generations", "GET /api/v1/apps/{app}/generations/{id}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	consoletest.WantText(t, page, "curl https://stele.example.org/ai/api/v1/models", "https://stele.example.org/ai/files/",
		"-F file=@source.png", `href="/ai/openapi.yaml"`)
	if strings.Contains(page, "$ref") || strings.Contains(page, "stele.example.com") {
		t.Error("a reference or the document's own address is left in the page")
	}
}

func TestEveryLinkOfTheReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	page := consoletest.Body(t, consoletest.Open(t, "http://127.0.0.1:8080").Get("/reference", consoletest.Browser))
	ids := make(map[string]int)
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("nothing is at #%s", m[1])
		}
	}
}

func TestTheReferenceIsCompressedWhereItMayBe(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	plain := consoletest.Body(t, h.Get("/reference", consoletest.With("Accept-Encoding", "br, gzip;q=0")))
	res := h.Get("/reference", consoletest.With("Accept-Encoding", "gzip, deflate, br"))
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("the headers are %v", res.Header)
	}
	z, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	small, err := io.ReadAll(z)
	if err != nil || string(small) != plain {
		t.Errorf("the compressed page is another one: %v", err)
	}
}

func TestTheReferenceFollowsThePublicURLAndTheReader(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	for _, address := range []string{"https://one.example.org", "https://two.example.org", "https://two.example.org"} {
		h.Public, _ = url.Parse(address)
		consoletest.WantText(t, consoletest.Body(t, h.Get("/reference", consoletest.Browser)), "curl "+address+"/api/v1/models", "Sign in")
	}
	h.SignIn()
	consoletest.WantText(t, consoletest.Body(t, h.Get("/reference", consoletest.Browser)), consoletest.Email)
	h.Cookie = ""
	if strings.Contains(consoletest.Body(t, h.Get("/reference", consoletest.Browser)), consoletest.Email) {
		t.Error("the reader's name is shown to somebody else")
	}
}

func TestTheDocumentIsServedAsItIs(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	res := h.Get("/openapi.yaml")
	if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/yaml") {
		t.Errorf("Content-Type is %q", got)
	}
	if consoletest.Body(t, res) != string(openapi.Document()) {
		t.Error("the document was changed")
	}
}

func TestStaticFilesAreKeptForAYearUnderTheirHash(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	page := consoletest.Body(t, h.Get("/console/signin", consoletest.Browser))
	for _, m := range regexp.MustCompile(`(?:href|src)="(/console/static/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		res := h.Get(m[1])
		consoletest.WantStatus(t, res, 200)
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", m[1], got)
		}
		if res.Header.Get("Content-Type") == "" {
			t.Errorf("%s has no Content-Type", m[1])
		}
	}
	old := h.Get("/console/static/000000000000/style.css")
	consoletest.WantStatus(t, old, 200)
	if got := old.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("under another hash: Cache-Control is %q", got)
	}
}

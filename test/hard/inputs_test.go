package hard

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestHard171APictureAtAnAddress has the program itself fetch it, through the
// guard, for an upstream that does not.
func TestHard171APictureAtAnAddress(t *testing.T) {
	t.Parallel()
	raw, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.png":
			_, _ = w.Write(raw)
		case "/page":
			_, _ = w.Write([]byte("<html>"))
		case "/away":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(pictures.Close)
	s := open(t)
	ask := func(address string) string {
		return `{"model":"g","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"` + address + `"}}]}]}`
	}
	if a := s.Post(t, chatPath, s.Key, ask(pictures.URL+"/a.png")); a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if sent := string(s.gemini.Last(t).Body); !strings.Contains(sent, pixel) || !strings.Contains(sent, `"image/png"`) {
		t.Error(sent)
	}
	before := len(s.gemini.Requests())
	for _, address := range []string{pictures.URL + "/gone.png", pictures.URL + "/page", pictures.URL + "/away", "http://169.254.169.254/latest", "http://nowhere.invalid/a.png"} {
		a := s.Post(t, chatPath, s.Key, ask(address))
		if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "messages[0].content[1]") {
			t.Errorf("%s: %d %s", address, a.Status, a.Body)
		}
	}
	if n := len(s.gemini.Requests()); n != before {
		t.Errorf("%d calls for what could not be fetched", n-before)
	}
}

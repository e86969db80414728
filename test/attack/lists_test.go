package attack

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Lists that a member can make as long as may be are not held once for each page that shows them.
func TestLongListsTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"long drafts", longDraftsTakeLittle},
		attack{"published apps", publishedAppsTakeLittle},
		attack{"keys that come and go", keysThatComeAndGoTakeLittle},
	)
}

// form sends a form as the administrator.
func (s *siege) form(t testing.TB, path string, pairs ...string) (status int, body string) {
	t.Helper()
	form := make(url.Values)
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	a := s.post(t, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	return a.Status, a.Body
}

// openAtOnce opens a page very often at the same time.
func (s *siege) openAtOnce(t *testing.T, paths ...string) {
	t.Helper()
	together(90, func(int) {
		for _, path := range paths {
			if status, _ := s.page(t, path); status >= 500 && status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d", path, status)
			}
		}
	})
}

// longApp is an app that is as long as an app may be.
func longApp(id string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "app: %s\nname: Long\nmedia_type: image\ninputs:\n", id)
	for i := range 90 {
		fmt.Fprintf(&b, "  - {name: i%d, type: string, default: \"%s\"}\n", i, strings.Repeat("x", 300))
	}
	b.WriteString("steps:\n")
	for i := range 45 {
		fmt.Fprintf(&b, "  - id: s%d\n    generate: {model: stele/canvas, mode: text_to_image, with: {prompt: \"${inputs.i%d + inputs.i%d + inputs.i%d}\", seed: %d}}\n", i, i, i+1, i+2, i)
	}
	b.WriteString("result: {images: \"${steps.s0.images}\"}\n")
	return b.String()
}

func longDraftsTakeLittle(t *testing.T, s *siege) {
	for i := range longApps {
		id := fmt.Sprintf("draft-%d", i)
		if status, body := s.form(t, "/console/apps/new", "id", id, "source", longApp(id)); status >= 400 {
			t.Fatalf("a draft: %d %.300s", status, body)
		}
	}
	s.under(t, func() { s.openAtOnce(t, "/console/apps") })
}

func publishedAppsTakeLittle(t *testing.T, s *siege) {
	refused := 0
	s.under(t, func() {
		for i := range longApps {
			id := fmt.Sprintf("shelf-%d", i)
			s.form(t, "/console/apps/new", "id", id, "source", longApp(id))
			if status, body := s.form(t, "/console/apps/"+id+"/publish", "source", longApp(id)); status == http.StatusUnprocessableEntity {
				refused++
			} else if status >= 400 {
				t.Fatalf("an app: %d %.300s", status, body)
			}
		}
		s.openAtOnce(t, "/console/apps", "/console/")
	})
	t.Logf("%d of %d apps were not taken", refused, longApps)
}

var keyID = regexp.MustCompile(`key_[0-9a-z]{26}`)

func keysThatComeAndGoTakeLittle(t *testing.T, s *siege) {
	s.under(t, func() {
		together(8, func(worker int) {
			for i := range shortKeys {
				_, body := s.form(t, "/console/keys", "name", fmt.Sprint(strings.Repeat("n", 180), worker, "-", i), "scope", "chat", "environment", "development")
				if id := keyID.FindString(body); id != "" && i%2 == 0 {
					s.form(t, "/console/keys/"+id+"/revoke")
				}
			}
		})
		s.openAtOnce(t, "/console/requests", "/console/usage", "/console/limits", "/console/")
	})
}

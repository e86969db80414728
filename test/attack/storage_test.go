package attack

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// storageWays are what object storage does that is no friend, to those who read from it.
var storageWays = map[string]func(w http.ResponseWriter, r *http.Request, trap *trap){
	"without end": func(w http.ResponseWriter, _ *http.Request, _ *trap) { pour(w, "", "x") },
	"without a date": func(w http.ResponseWriter, _ *http.Request, _ *trap) {
		w.Header().Del("Last-Modified")
		_, _ = io.WriteString(w, "x")
	},
	"without end, by its head right": func(w http.ResponseWriter, r *http.Request, _ *trap) {
		w.Header().Set("Content-Range", rangeOf(r))
		w.WriteHeader(http.StatusPartialContent)
		pour(w, "", "x")
	},
	"too short": func(w http.ResponseWriter, r *http.Request, _ *trap) {
		w.Header().Set("Content-Range", rangeOf(r))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "x")
	},
	"broken off": func(w http.ResponseWriter, r *http.Request, _ *trap) {
		w.Header().Set("Content-Range", rangeOf(r))
		w.Header().Set("Content-Length", "100000")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "x")
	},
	"an error inside": func(w http.ResponseWriter, _ *http.Request, _ *trap) {
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InternalError</Code></Error>`)
	},
	"an error without end": func(w http.ResponseWriter, _ *http.Request, _ *trap) {
		w.WriteHeader(http.StatusNotFound)
		pour(w, `<?xml version="1.0"?><Error><Code>`, "x")
	},
	"another part": func(w http.ResponseWriter, r *http.Request, _ *trap) {
		w.Header().Set("Content-Range", "bytes 0-9/10")
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "0123456789")
	},
	"elsewhere": func(w http.ResponseWriter, _ *http.Request, trap *trap) {
		w.Header().Set("Location", trap.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	},
}

// rangeOf is the range that a request asks for, as an answer names it.
func rangeOf(r *http.Request) string {
	return strings.Replace(r.Header.Get("Range"), "=", " ", 1) + "/*"
}

// stored uploads a picture and gives its id and its address.
func (s *siege) stored(t *testing.T, picture []byte) (id, link string, a rig.Answer) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "picture.png")
	if err == nil {
		_, err = part.Write(picture)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	a = s.send(t, "/api/v1/files", w.FormDataContentType(), &form)
	seen := rig.Parse(t, a.Body)
	return rig.Text(seen, "data", "id"), rig.Text(seen, "data", "url"), a
}

// Object storage lies to those who read and to those who write. No client gets more or less than
// was kept, or another part of it, and nothing is said to be kept that is not.
func TestObjectStorageDoesHarm(t *testing.T) { //nolint:paralleltest // besiege sees to that
	storage, trap := rig.NewStorage(t), newTrap(t)
	s := besiegeOn(t, "", nil, "--blob-url", storage.Place("files"))
	picture := rig.PlainPNG(t, 300, true)
	keep := func(t *testing.T) (id, link string) {
		id, link, a := s.stored(t, picture)
		if a.Status != http.StatusCreated {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		return id, link
	}
	_, spared := keep(t)
	for name, way := range storageWays {
		t.Run(name, func(t *testing.T) {
			storage.Is(nil)
			id, link := keep(t) // one that was found damaged is not asked for again at once
			storage.Is(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/files/") {
					w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
					w.Header().Set("Etag", `"0123456789abcdef0123456789abcdef"`)
					way(w, r, trap)
					return true
				}
				return false
			})
			s.under(t, func() {
				s.reads(t, link, "", len(picture))
				s.reads(t, link, "bytes=7-13", 7)
				a := s.chat(t, fmt.Sprintf(`{"model":"shared","messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"file","file":{"file_id":%q}}]}]}`, id))
				if a.Status == http.StatusInternalServerError {
					t.Errorf("a chat with the file: %d %s", a.Status, a.Body)
				}
			})
		})
	}
	storage.Is(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InternalError</Code></Error>`)
		return true
	})
	if _, _, a := s.stored(t, picture); a.Status != http.StatusServiceUnavailable {
		t.Errorf("an upload that was not kept: %d %s", a.Status, a.Body)
	}
	storage.Is(nil)
	s.reads(t, spared, "", len(picture))
	if n := trap.touched.Load(); n != 0 {
		t.Errorf("a private address was asked %d times", n)
	}
	_, said, _ := s.up.heard()
	for _, one := range said {
		if len(one) > 2*len(picture) {
			t.Errorf("the upstream was told %d bytes: %.200s", len(one), one)
		}
	}
}

// reads asks for a part of a file, and wants so many bytes, or none that look whole.
func (s *siege) reads(t *testing.T, link, part string, want int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if part != "" {
		r.Header.Set("Range", part)
	}
	res, err := s.Client.Do(r)
	if err != nil {
		return // broken off
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 400 {
		if res.StatusCode == http.StatusInternalServerError && !strings.Contains(string(got), "damaged") {
			t.Errorf("%q: %d %.200s", part, res.StatusCode, got)
		}
		return
	}
	if len(got) != want || strings.HasPrefix(string(got), "0123") || strings.HasPrefix(string(got), "<?xml") {
		t.Errorf("%q: %d with %d bytes, not %d of the file's: %.60q", part, res.StatusCode, len(got), want, got)
	}
}

package file_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/file"
)

func TestOwnFilesAreTakenByOwnership(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f, err := h.Save(t.Context(), file.Upload{Workspace: "one", Name: "a.png", Body: strings.NewReader(sample(t, "a.png"))})
	if err != nil {
		t.Fatal(err)
	}
	address := h.Address(f)
	expired, _, _ := strings.Cut(address, "?")
	for _, given := range []string{f.ID, "files/" + f.ID, " " + f.ID + "\n", address, expired, expired + "?exp=1&sig=x", strings.Replace(address, "https:", "http:", 1)} {
		got, err := h.Take(t.Context(), "one", given, file.Want{Field: "start_frame", Kind: file.Image})
		if err != nil || got.ID != f.ID || got.SHA256 != f.SHA256 {
			t.Errorf("%s: %+v, %v", given, got, err)
		}
		if _, err := h.Take(t.Context(), "two", given, file.Want{Field: "start_frame", Kind: file.Image}); code(err) != fault.FileNotFound {
			t.Errorf("%s of another workspace: %v", given, err)
		}
	}
	for _, test := range []struct {
		want file.Want
		code fault.Code
	}{
		{file.Want{Kind: file.Video}, fault.UnsupportedFileFormat},
		{file.Want{Kind: file.Image, Formats: []string{"image/jpeg", "image/webp"}}, fault.UnsupportedFileFormat},
		{file.Want{Kind: file.Image, Bytes: 10}, fault.FileTooLarge},
		{file.Want{}, ""},
	} {
		test.want.Field = "image_urls"
		_, err := h.Take(t.Context(), "one", f.ID, test.want)
		if code(err) != test.code || err != nil && fault.From(err).Details["field"] != "image_urls" {
			t.Errorf("%+v: %v", test.want, err)
		}
	}
	if n := h.left(t); n != 1 {
		t.Error(n, "files")
	}
}

func TestDataURLsBecomeFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	picture := sample(t, "a.png")
	plain := base64.StdEncoding.EncodeToString([]byte(picture))
	for _, given := range []string{
		"data:image/png;base64," + plain, "data:;base64," + plain, "DATA:image/gif;charset=x;BASE64," + plain,
		"data:image/png;base64," + base64.RawURLEncoding.EncodeToString([]byte(picture)),
		"data:image/png;base64," + plain[:40] + "\r\n" + plain[40:], "data:image/png;base64," + url.PathEscape(plain),
	} {
		got, err := h.Take(t.Context(), "one", given, file.Want{Field: "f", Kind: file.Image})
		if err != nil || got.Type != "image/png" || h.read(t, got) != picture {
			t.Errorf("%.40s: %+v, %v", given, got, err)
		}
	}
	svg, err := h.Take(t.Context(), "one", "data:image/svg+xml,"+url.PathEscape("<svg/>"), file.Want{Kind: file.Image})
	if err != nil || svg.Type != "image/svg+xml" {
		t.Error(svg, err)
	}
	before := h.left(t)
	for given, want := range map[string]fault.Code{
		"data:image/png;base64":                fault.InvalidMediaURL,
		"data:image/png;base64,":               fault.InvalidMediaURL,
		"data:image/png;base64,!!!!":           fault.InvalidMediaURL,
		"data:image/png;base64,aGVsbG8=":       fault.InvalidMediaURL, // text
		"data:image/png,%zz":                   fault.InvalidMediaURL,
		"data:image/png;base64," + plain[:200]: fault.InvalidMediaURL, // cut off
		"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(sample(t, "a.wav"))):                                  fault.InvalidMediaURL,
		"data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(append([]byte(sample(t, "a.jpg")), make([]byte, 2<<20)...)): fault.FileTooLarge,
	} {
		if _, err := h.Take(t.Context(), "one", given, file.Want{Field: "f", Kind: file.Image}); code(err) != want {
			t.Errorf("%.60s: %v", given, err)
		}
	}
	if n := h.left(t); n != before {
		t.Error("left behind:", n-before)
	}
}

func TestWhatIsAtAnAddressBecomesAFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	picture := sample(t, "a.png")
	mux := http.NewServeMux()
	mux.HandleFunc("/a%20photo.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, picture) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a%20photo.png", http.StatusFound) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html></html>") })
	mux.HandleFunc("/sound", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, sample(t, "a.wav")) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "400")
		_, _ = io.WriteString(w, picture[:200])
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, sample(t, "a.jpg"))
		for block := make([]byte, 32<<10); err == nil; {
			_, err = w.Write(block)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, path := range []string{"/a%20photo.png", "/moved"} {
		got, err := h.Take(t.Context(), "one", server.URL+path, file.Want{Field: "f", Kind: file.Image})
		if err != nil || h.read(t, got) != picture || path != "/moved" && got.Name != "a photo.png" {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	before := h.left(t)
	for given, want := range map[string]fault.Code{
		server.URL + "/none":     fault.InvalidMediaURL,
		server.URL + "/page":     fault.InvalidMediaURL,
		server.URL + "/sound":    fault.InvalidMediaURL,
		server.URL + "/cut":      fault.InvalidMediaURL,
		server.URL + "/endless":  fault.FileTooLarge,
		"http://10.0.0.1/a.png":  fault.InvalidMediaURL,
		"http://127.0.0.1:1/a":   fault.InvalidMediaURL,
		"http://user:pw@a.b/":    fault.InvalidMediaURL,
		"ftp://a.b/c":            fault.InvalidMediaURL,
		"file:///etc/passwd":     fault.InvalidMediaURL,
		"":                       fault.InvalidMediaURL,
		"file_nonsense":          fault.InvalidMediaURL,
		"javascript:alert(1)":    fault.InvalidMediaURL,
		"https://[::1]:80/x.png": fault.InvalidMediaURL,
	} {
		_, err := h.Take(t.Context(), "one", given, file.Want{Field: "f", Kind: file.Image})
		if code(err) != want || strings.Contains(fault.From(err).Message, "10.0.0.1") {
			t.Errorf("%s: %v", given, err)
		}
	}
	h.settings.Fetch = false
	if _, err := h.Take(t.Context(), "one", server.URL+"/moved", file.Want{Kind: file.Image}); code(err) != fault.InvalidMediaURL {
		t.Error(err)
	}
	h.settings.Fetch = true
	got, err := h.Take(t.Context(), "one", server.URL+"/moved", file.Want{Kind: file.Image, Dry: true})
	if err != nil || got.Type != "image/png" || got.Size != int64(len(picture)) {
		t.Error(got, err)
	}
	if n := h.left(t); n != before {
		t.Error("left behind:", n-before)
	}
}

func FuzzOwn(f *testing.F) {
	f.Add("https://stele.example.com/base/files/file_06gxw073g1vjb0m9vhchtw08vc/a.png?exp=1&sig=2")
	f.Add("files/file_06gxw073g1vjb0m9vhchtw08vc")
	s := file.New(file.Options{
		Secret: []byte("k"), Now: time.Now,
		Public: func() *url.URL { return &url.URL{Scheme: "https", Host: "stele.example.com", Path: "/base"} },
	})
	f.Fuzz(func(t *testing.T, given string) {
		id, ok := s.Own(given)
		if ok && !strings.Contains(given, id[:5]) && !strings.Contains(given, "%") {
			t.Errorf("%q is not in %q", id, given)
		}
		if s.Verify(id, "1", given) == nil || s.Verify(given, given, given) == nil {
			t.Errorf("%q opens something", given)
		}
	})
}

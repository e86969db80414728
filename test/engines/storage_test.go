package engines

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// storage is a real S3 server behind a door that can fail.
type storage struct {
	*httptest.Server
	trouble atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool] // nil: none; it reports whether it answered
}

const (
	s3Key    = "stele-test"
	s3Secret = "stele-test-secret"
)

func newStorage(t *testing.T) *storage {
	t.Helper()
	binary := rig.Need(t, "STELE_TEST_S3GATEWAY")
	root := t.TempDir()
	for _, f := range []string{"blobs/bucket", "meta"} {
		if err := os.MkdirAll(filepath.Join(root, f), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	address := rig.FreePort(t)
	server := exec.Command(binary, "--port", address, "--access", s3Key, "--secret", s3Secret, "--quiet",
		"posix", "--sidecar", filepath.Join(root, "meta"), filepath.Join(root, "blobs"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	rig.Eventually(t, "the S3 server answers", func() bool {
		answer, err := http.Get("http://" + address)
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusForbidden
	})
	s := new(storage)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: address})
		r.Out.Host = r.In.Host // it is signed
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trouble := s.trouble.Load(); trouble == nil || !(*trouble)(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// is makes the storage fail in a way, or work again where that is nil.
func (s *storage) is(trouble func(w http.ResponseWriter, r *http.Request) bool) {
	if trouble == nil {
		s.trouble.Store(nil)
		return
	}
	s.trouble.Store(&trouble)
}

// The ways in which object storage fails.
func gone(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

func full(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPut {
		return false
	}
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusInsufficientStorage)
	_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>Storage backend has reached its minimum free drive threshold.</Message></Error>`)
	return true
}

func slow(_ http.ResponseWriter, r *http.Request) bool {
	select {
	case <-time.After(2 * time.Second):
	case <-r.Context().Done():
	}
	return false
}

// TestObjectStorageFails takes S3 away, fills it up and slows it down under uploads and
// generations. Uploads are refused cleanly, outputs are kept when it is back.
func TestObjectStorageFails(t *testing.T) {
	t.Parallel()
	s := newStorage(t)
	f := &fleet{t: t, maker: newProvider(t, 50*time.Millisecond), ids: make(map[int]string)}
	h := rig.Start(t, rig.Options{
		Config: f.maker.account(t), Flags: []string{"--blob-url", "s3://bucket/files?path_style=true&endpoint=" + s.URL},
		Env: []string{"AWS_ACCESS_KEY_ID=" + s3Key, "AWS_SECRET_ACCESS_KEY=" + s3Secret},
	})
	f.servers, f.key = []*rig.House{h}, h.CreateKey(t).Key
	h.Await(t, f.key, http.StatusOK)
	n := 0
	for name, trouble := range map[string]func(http.ResponseWriter, *http.Request) bool{"gone": gone, "full": full} {
		s.is(trouble)
		if a := f.upload(); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: an upload was answered with %d %s", name, a.Status, a.Body)
		}
		for range 5 {
			n++
			if err := f.order(0, n); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		h.AwaitLine(t, "that outputs wait", func(l rig.Line) bool {
			return l.Text("msg") == "outputs wait for the place for files" && l.Text("generation") == f.ids[n]
		})
		s.is(nil)
	}
	s.is(slow)
	if a := f.upload(); a.Status != http.StatusCreated {
		t.Errorf("slow: an upload was answered with %d %s", a.Status, a.Body)
	}
	n++
	if err := f.order(0, n); err != nil {
		t.Error(err)
	}
	f.judge(n)
}

// upload sends a picture.
func (f *fleet) upload() rig.Answer {
	f.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "picture.png")
	if err == nil {
		_, err = part.Write(picture())
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	a, err := f.ask(0, http.MethodPost, "/api/v1/files", body.String(), "Content-Type", form.FormDataContentType())
	if err != nil {
		f.t.Fatal(fmt.Errorf("upload: %w", err))
	}
	return a
}

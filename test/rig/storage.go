package rig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// Trouble is a way in which object storage fails. It reports whether it has answered.
type Trouble func(w http.ResponseWriter, r *http.Request) bool

// Storage is a real S3 server with a bucket, behind a door that can fail.
type Storage struct {
	*httptest.Server
	Folder string // in which the blobs of the bucket lie

	trouble atomic.Pointer[Trouble] // nil: none
}

const (
	storageKey    = "stele-test"
	storageSecret = "stele-test-secret"
)

// NewStorage starts one for a test.
func NewStorage(t testing.TB) *Storage {
	t.Helper()
	binary := Need(t, "STELE_TEST_S3GATEWAY")
	root := t.TempDir()
	s := &Storage{Folder: filepath.Join(root, "blobs", "bucket")}
	for _, f := range []string{s.Folder, filepath.Join(root, "meta")} {
		if err := os.MkdirAll(f, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	address := FreePort(t)
	server := exec.Command(binary, "--port", address, "--access", storageKey, "--secret", storageSecret, "--quiet",
		"posix", "--sidecar", filepath.Join(root, "meta"), filepath.Dir(s.Folder))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	Eventually(t, "the S3 server answers", func() bool {
		answer, err := http.Get("http://" + address)
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusForbidden
	})
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

// Is makes the storage fail in a way, or work again where that is nil.
func (s *Storage) Is(trouble Trouble) {
	if trouble == nil {
		s.trouble.Store(nil)
		return
	}
	s.trouble.Store(&trouble)
}

// Place is a blob URL below a prefix of the bucket, with the credentials in it.
func (s *Storage) Place(prefix string) string {
	return "s3://" + storageKey + ":" + storageSecret + "@bucket/" + prefix + "?path_style=true&endpoint=" + s.URL
}

// Credentials are those of the bucket, as variables.
func (s *Storage) Credentials() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + storageKey, "AWS_SECRET_ACCESS_KEY=" + storageSecret}
}

// Gone is storage that breaks every connection.
func Gone(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// Full is storage that takes nothing more.
func Full(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPut {
		return false
	}
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusInsufficientStorage)
	_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>Storage backend has reached its minimum free drive threshold.</Message></Error>`)
	return true
}

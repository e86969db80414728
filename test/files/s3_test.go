package files

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

const (
	s3Key    = "stele-test"
	s3Secret = "stele-test-secret"
)

// objectStorage runs a real S3 server with one bucket and returns its address and
// the folder in which its blobs lie.
func objectStorage(t *testing.T) (address, folder string) {
	t.Helper()
	binary := rig.Need(t, "STELE_TEST_S3GATEWAY")
	root := t.TempDir()
	folder, sidecar := filepath.Join(root, "blobs", "bucket"), filepath.Join(root, "meta")
	for _, f := range []string{folder, sidecar} {
		if err := os.MkdirAll(f, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	server := exec.Command(binary, "--port", address, "--access", s3Key, "--secret", s3Secret, "--quiet", "posix", "--sidecar", sidecar, filepath.Dir(folder))
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
	return address, folder
}

func TestFilesLieInObjectStorage(t *testing.T) {
	t.Parallel()
	address, folder := objectStorage(t)
	h := rig.Start(t, rig.Options{
		Flags: []string{"--blob-url", "s3://bucket/files?path_style=true&endpoint=http://" + address},
		Env:   []string{"AWS_ACCESS_KEY_ID=" + s3Key, "AWS_SECRET_ACCESS_KEY=" + s3Secret},
	})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	const size = 20 << 20 // more than one piece
	status, text := send(t, h, key, aFilm(size))
	var kept struct {
		Data struct{ URL, Key string }
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	want, err := io.ReadAll(aFilm(size))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folder, "files", kept.Data.Key)); err != nil || info.Size() != size {
		t.Error(info, err)
	}
	for from, to := range map[int]int{0: size - 1, 8<<20 - 5: 8<<20 + 5, size - 10: size - 1} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, kept.Data.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to))
		answer, err := h.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusPartialContent || string(got) != string(want[from:to+1]) {
			t.Error(from, to, answer.StatusCode, len(got), err)
		}
	}
	if status, text := send(t, h, key, strings.NewReader("no film")); status != http.StatusUnsupportedMediaType {
		t.Error(status, text)
	}
	// Nothing of the files lies in the data folder, and nothing of the refused one anywhere.
	for _, place := range []struct {
		folder string
		want   int
	}{{filepath.Join(h.Data, "blobs"), 0}, {filepath.Join(folder, "files"), 1}} {
		n := 0
		_ = filepath.WalkDir(place.folder, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
			}
			return nil
		})
		if n != place.want {
			t.Errorf("%d files in %s", n, place.folder)
		}
	}
}

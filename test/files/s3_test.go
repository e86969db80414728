package files

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

func TestFilesLieInObjectStorage(t *testing.T) {
	t.Parallel()
	storage := rig.NewStorage(t)
	folder := storage.Folder
	h := rig.Start(t, rig.Options{
		Flags: []string{"--blob-url", "s3://bucket/files?path_style=true&endpoint=" + storage.URL}, Env: storage.Credentials(),
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

package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

// TestDamagedFilesAreNeverGoodOnes flips a bit of a film where it lies, cuts one off and puts another in the place of one, in
// a folder and in object storage: no download of them succeeds, the operator is told, and good copies heal them.
func TestDamagedFilesAreNeverGoodOnes(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T) (h *rig.House, folder string){
		"folder": func(t *testing.T) (*rig.House, string) {
			h := rig.Start(t, rig.Options{})
			return h, filepath.Join(h.Data, "blobs")
		},
		"s3": func(t *testing.T) (*rig.House, string) {
			s := rig.NewStorage(t)
			return rig.Start(t, rig.Options{Flags: []string{"--blob-url", s.Place("files")}}), filepath.Join(s.Folder, "files")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, folder := place(t)
			key := h.CreateKey(t).Key
			h.Await(t, key, http.StatusOK)
			const size = 9 << 20 // more than one piece
			other := uploaded(t, h, key, size+8)
			strange := read(t, filepath.Join(folder, other.Key))
			films := map[string]*damagedFilm{
				"a bit":   {alter: func(b []byte) []byte { b[size-1] ^= 4; return b }},
				"a cut":   {alter: func(b []byte) []byte { return b[:size/2] }},
				"another": {alter: func([]byte) []byte { return strange[:size] }},
			}
			for _, f := range films {
				f.keptFile = uploaded(t, h, key, size)
				f.path = filepath.Join(folder, f.Key)
				f.good = read(t, f.path)
				write(t, f.path, f.alter(bytes.Clone(f.good)))
			}
			for what, f := range films {
				if n, err := download(t, h, f.URL); err == nil || n >= size {
					t.Errorf("%s: %d of %d bytes were given as a success", what, n, size)
				}
				h.AwaitLine(t, "that it is damaged", func(l rig.Line) bool {
					return l.Text("msg") == "a file is not as it was kept" && l.Text("file") == f.ID && l.Text("level") == "ERROR"
				})
			}
			if said := h.Try(t, "doctor"); said.Code == 0 || !strings.Contains(said.Stdout, "files: 3 files are lost or not as they were kept") {
				t.Errorf("the doctor says %d, %s", said.Code, said.Stdout)
			}
			for what, f := range films {
				write(t, f.path, f.good)
				rig.Eventually(t, what+" is put right, and given again", func() bool {
					n, err := download(t, h, f.URL)
					return err == nil && n == size
				})
			}
			if said := h.Try(t, "doctor"); strings.Contains(said.Stdout, "kept:") {
				t.Error("the doctor says of files that were put right:", said.Stdout)
			}
			if n, err := download(t, h, other.URL); err != nil || n != len(strange) {
				t.Error(n, err)
			}
			if said := h.Try(t, "files", "verify"); said.Code != 0 || !strings.Contains(said.Stdout, "4 files read") || !strings.Contains(said.Stdout, " 0 damaged") {
				t.Errorf("of good files it is said: %d, %s%s", said.Code, said.Stdout, said.Stderr)
			}
			unread := films["a bit"]
			write(t, unread.path, unread.alter(bytes.Clone(unread.good)))
			if said := h.Try(t, "files", "verify"); said.Code == 0 || !strings.Contains(said.Stdout, " 1 damaged\n  "+unread.Key) {
				t.Errorf("of a damaged file that nobody reads it is said: %d, %s%s", said.Code, said.Stdout, said.Stderr)
			}
			if said := h.Try(t, "doctor"); said.Code == 0 || !strings.Contains(said.Stdout, "files: a file is lost or not as it was kept: "+unread.Key) {
				t.Errorf("the doctor says %d, %s", said.Code, said.Stdout)
			}
		})
	}
}

// damagedFilm is a film, and what is done to it.
type damagedFilm struct {
	keptFile
	alter func([]byte) []byte
	path  string
	good  []byte
}

// TestADamagedPictureIsSentToNobody: neither a chat nor a generation that names it goes out.
func TestADamagedPictureIsSentToNobody(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	made := h.Post(t, "/api/v1/generations?wait=60", key, `{"model": "stele/canvas", "prompt": "a fox"}`)
	id := regexp.MustCompile(`gen_\w+`).FindString(made.Body)
	a := h.Get(t, "/api/v1/generations/"+id+"?wait=60", key)
	file := regexp.MustCompile(`file_\w+`).FindString(a.Body)
	if file == "" {
		t.Fatal(a.Status, a.Body)
	}
	found, err := filepath.Glob(filepath.Join(h.Data, "blobs", "*", "*", file+".*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	b := read(t, found[0])
	b[len(b)/2] ^= 1
	write(t, found[0], b)
	chat := `{"model": "stele/sandbox", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "` + file + `"}}]}]}`
	if a := h.Post(t, "/api/v1/chat/completions", key, chat); a.Status != http.StatusNotFound || !strings.Contains(a.Body, "damaged") {
		t.Error(a.Status, a.Body)
	}
	made = h.Post(t, "/api/v1/generations", key, `{"model": "stele/canvas", "mode": "image_to_image", "prompt": "a fox", "image_urls": ["`+file+`"]}`)
	id = regexp.MustCompile(`gen_\w+`).FindString(made.Body)
	if a := h.Get(t, "/api/v1/generations/"+id+"?wait=60", key); !strings.Contains(a.Body, "invalid_input") {
		t.Error(made.Body, a.Status, a.Body)
	}
}

type keptFile struct{ ID, URL, Key string }

func uploaded(t *testing.T, h *rig.House, key string, size int64) keptFile {
	t.Helper()
	status, text := send(t, h, key, aFilm(size))
	var kept struct{ Data keptFile }
	if err := json.Unmarshal([]byte(text), &kept); err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	return kept.Data
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// download reads what an address gives; anything but all of it, with 200, is an error.
func download(t *testing.T, h *rig.House, address string) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := h.Client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("answered with %d", answer.StatusCode)
	}
	b, err := io.ReadAll(answer.Body)
	return len(b), err
}

package files

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
)

// aFilm is an MP4 film of a size: its head, its tables, and nothing but noise.
func aFilm(size int64) io.Reader {
	box := func(name string, body ...[]byte) []byte {
		n := 8
		for _, b := range body {
			n += len(b)
		}
		out := append(binary.BigEndian.AppendUint32(nil, uint32(n)), name...)
		for _, b := range body {
			out = append(out, b...)
		}
		return out
	}
	head := append(box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2")), box("moov", box("trak", box("mdia", box("hdlr", make([]byte, 8), []byte("vide"), make([]byte, 13)))))...)
	rest := size - int64(len(head))
	head = append(binary.BigEndian.AppendUint32(head, uint32(rest)), "mdat"...)
	return io.MultiReader(strings.NewReader(string(head)), io.LimitReader(new(rig.Noise), rest-8))
}

// send uploads a body of any length while it is made.
func send(t *testing.T, h *rig.House, key string, body io.Reader) (int, string) {
	t.Helper()
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", "film.mp4")
		if err == nil {
			_, err = io.Copy(part, body)
		}
		if err == nil {
			err = form.Close()
		}
		_ = w.CloseWithError(err)
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/api/v1/files", r)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := h.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestALargeUploadTakesNoMemory is not parallel: others would be in its figures.
func TestALargeUploadTakesNoMemory(t *testing.T) { //nolint:paralleltest // see above
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	if status, text := send(t, h, key, aFilm(1<<20)); status != http.StatusCreated { // what is made once is made
		t.Fatal(status, text)
	}
	before := rig.AtRest(t, h.PID())
	const size = 100 << 20
	status, text := send(t, h, key, aFilm(size))
	if status != http.StatusCreated {
		t.Fatal(status, text)
	}
	moved := rig.Memory(t, "VmHWM", h.PID()) - before
	t.Logf("100 MB moved %d kB of memory", moved>>10)
	if moved > 10<<20 {
		t.Errorf("100 MB moved %d bytes of memory", moved)
	}
	var kept struct {
		Data struct {
			URL  string
			Size int64
		}
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil || kept.Data.Size != size {
		t.Fatal(text, err)
	}
	before = rig.AtRest(t, h.PID())
	answer, err := h.Client.Get(kept.Data.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); err != nil || n != size {
		t.Error(n, err)
	}
	if moved := rig.Memory(t, "VmHWM", h.PID()) - before; moved > 10<<20 {
		t.Errorf("reading 100 MB moved %d bytes of memory", moved)
	}
	if status, text := send(t, h, key, aFilm(size+1)); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "file_too_large") {
		t.Error(status, text)
	}
}

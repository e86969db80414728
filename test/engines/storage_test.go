package engines

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"stele/test/rig"
)

// slow is storage that thinks before it answers.
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
	s := rig.NewStorage(t)
	f := &fleet{t: t, maker: newProvider(t, 50*time.Millisecond), ids: make(map[int]string)}
	h := rig.Start(t, rig.Options{
		Config: f.maker.account(t), Flags: []string{"--blob-url", s.Place("files")},
	})
	f.servers, f.key = []*rig.House{h}, h.CreateKey(t).Key
	h.Await(t, f.key, http.StatusOK)
	n := 0
	for name, trouble := range map[string]rig.Trouble{"gone": rig.Gone, "full": rig.Full} {
		s.Is(trouble)
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
		s.Is(nil)
	}
	s.Is(slow)
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
		_, err = part.Write(rig.PlainPNG(f.t, 32, false))
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

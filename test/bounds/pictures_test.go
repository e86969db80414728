package bounds

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// The attacks of people who are signed in, and of keys that order pictures. Not parallel:
// others would take the processor.
func TestNoPictureTakesTheMemoryOfOthers(t *testing.T) { //nolint:paralleltest // see above
	for name, attack := range map[string]func(*testing.T, *siege){
		"thumbnails of deep pictures": lookAtDeepPictures, "thumbnails of large pictures": lookAtLargePictures,
		"eight large pictures in one": composeEight, "large pictures, edited": editLarge, "a gigabyte to the playground": floodThePlayground,
	} {
		t.Run(name, func(t *testing.T) {
			s := besiege(t)
			attack(t, s)
			s.survived(t)
		})
	}
}

// show uploads pictures and looks at their thumbnails, all at once.
func (s *siege) show(t *testing.T, picture []byte, times int) {
	t.Helper()
	who := rig.Settle(t, s.House)
	var all sync.WaitGroup
	for range times {
		id := s.upload(t, "p.png", picture)
		all.Go(func() {
			res, err := who.Client.Get(s.URL + "/console/studio/files/" + id + "/small") //nolint:noctx // the client has a time limit
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			n, _ := io.Copy(io.Discard, res.Body)
			t.Logf("%d, %s, %d bytes", res.StatusCode, res.Header.Get("Content-Type"), n)
		})
	}
	all.Wait()
}

func lookAtDeepPictures(t *testing.T, s *siege)  { s.show(t, rig.PlainPNG(t, 6300, true), deepPhotos) }
func lookAtLargePictures(t *testing.T, s *siege) { s.show(t, rig.PlainPNG(t, 5000, false), 4) }

// order makes something in the studio and waits for it.
func (s *siege) order(t *testing.T, body string) {
	t.Helper()
	a := s.Post(t, "/api/v1/generations", s.key, body)
	var made struct {
		Data struct {
			ID, Status string
			Error      any
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for until := time.Now().Add(3 * time.Minute); time.Now().Before(until); {
		a = s.Get(t, "/api/v1/generations/"+made.Data.ID+"?wait=20", s.key)
		if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
			t.Fatal(err)
		}
		if made.Data.Status != "pending" && made.Data.Status != "processing" {
			t.Logf("%s %v", made.Data.Status, made.Data.Error)
			return
		}
	}
	t.Errorf("%s never ended: %s", made.Data.ID, a.Body)
}

// pictures are files that were uploaded, as a list in an order.
func (s *siege) pictures(t *testing.T, n, side int) string {
	t.Helper()
	var ids []string
	picture := rig.PlainPNG(t, side, false)
	for range n {
		ids = append(ids, fmt.Sprintf("%q", s.upload(t, "p.png", picture)))
	}
	return "[" + strings.Join(ids, ",") + "]"
}

func composeEight(t *testing.T, s *siege) {
	list := s.pictures(t, 8, 4096)
	for _, how := range sheets {
		s.order(t, `{"model":"stele/canvas","mode":"image_to_image","compose":"`+how+`","image_urls":`+list+`}`)
	}
}

func editLarge(t *testing.T, s *siege) {
	list := s.pictures(t, editedPhotos, 4096)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			s.order(t, `{"model":"stele/canvas","mode":"image_to_image","rotate":90,"output_format":"png","image_urls":`+list+`}`)
		})
	}
	all.Wait()
}

// floodThePlayground sends a gigabyte as a form to a route that reads its body whole.
func floodThePlayground(t *testing.T, s *siege) {
	who := rig.Settle(t, s.House)
	for _, path := range []string{"/console/playground/run", "/console/playground/code", "/console/studio", "/console/apps/check", "/console/playground/files"} {
		r, w := io.Pipe()
		form := multipart.NewWriter(w)
		go func() {
			part, err := form.CreateFormFile("file", "a.txt")
			if err == nil {
				_, err = io.Copy(part, io.LimitReader(new(rig.Noise), 1<<30))
			}
			_ = w.CloseWithError(err)
		}()
		res, err := who.Client.Post(s.URL+path, form.FormDataContentType(), r) //nolint:noctx // the client has a time limit
		_ = r.Close()
		if err != nil {
			t.Logf("%s: %.100v", path, err)
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(res.Body, 200))
		_ = res.Body.Close()
		t.Logf("%s: %d %s", path, res.StatusCode, text)
		if res.StatusCode < 400 {
			t.Errorf("%s takes a gigabyte", path)
		}
	}
}

package console

import (
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// ordered is a generation as far as this test reads it.
type ordered struct {
	Data struct {
		ID     string
		Status string
		Error  struct{ Message string }
		Result struct{ Images, Videos, Audios []struct{ URL string } }
	}
}

// TestEveryAppOfTheLibraryRuns finds the apps of a server that nothing was done to,
// runs each through its route and downloads what it made. STELE_TEST_SHOTS names a
// folder for those who want to look at it.
func TestEveryAppOfTheLibraryRuns(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t, "--name", "library").Key
	h.Await(t, key, http.StatusOK)
	picture := makes(t, h, key, "/api/v1/generations", `{"model":"stele/canvas","prompt":"A quiet lake at dawn","size":512}`).Data.Result.Images[0].URL
	inputs := map[string]struct{ body, kind string }{
		"contact-sheet":      {`{"pictures":["` + picture + `","` + picture + `","` + picture + `"],"title":"Three mornings"}`, "image/"},
		"narrated-slideshow": {`{"title":"The harbour","lines":["Ships come in.","Ships go out."]}`, "video/"},
		"palette-variations": {`{"prompt":"Open late","palettes":["ocean","ember"]}`, "image/"},
		"podcast-intro":      {`{"show":"Salt and Signal"}`, "audio/"},
		"product-thumbnails": {`{"photo":"` + picture + `"}`, "image/"},
		"social-card":        {`{"headline":"Paint the sea","signature":"example.com"}`, "image/"},
		"storyboard":         {`{"idea":"A paper boat on its way to the sea","scenes":2,"seconds":2}`, "video/"},
		"watermark":          {`{"pictures":["` + picture + `"],"mark":"example.com"}`, "image/"},
	}
	var listed struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(h.Get(t, "/api/v1/apps?limit=100", key).Body), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Data) < len(inputs)-1 { // all but the one that speaks, where nothing can
		t.Errorf("%d apps are listed: %v", len(listed.Data), listed.Data)
	}
	for _, app := range listed.Data {
		t.Run(app.ID, func(t *testing.T) {
			t.Parallel()
			in, ok := inputs[app.ID]
			if !ok {
				t.Fatal("nobody knows what it takes")
			}
			run := makes(t, h, key, "/api/v1/apps/"+app.ID+"/generations", in.body)
			found := false
			for _, list := range [][]struct{ URL string }{run.Data.Result.Images, run.Data.Result.Videos, run.Data.Result.Audios} {
				for _, output := range list {
					found = keeps(t, h, app.ID, output.URL, in.kind) || found
				}
			}
			if !found {
				t.Errorf("no %s in what it made: %+v", in.kind, run.Data.Result)
			}
		})
	}
}

// makes orders something and waits for its success.
func makes(t *testing.T, h *rig.House, key, route, body string) ordered {
	t.Helper()
	var v ordered
	read := func(a rig.Answer, want int) {
		t.Helper()
		if err := json.Unmarshal([]byte(a.Body), &v); err != nil || a.Status != want {
			t.Fatalf("%s: status %d: %s", route, a.Status, a.Body)
		}
	}
	read(h.Post(t, route, key, body), http.StatusCreated)
	for end := time.Now().Add(3 * time.Minute); v.Data.Status == "pending" || v.Data.Status == "processing"; { // films take their time on a busy machine
		if time.Now().After(end) {
			t.Fatalf("%s does not end", route)
		}
		read(h.Get(t, route+"/"+v.Data.ID+"?wait=20", key), http.StatusOK)
	}
	if v.Data.Status != "success" {
		t.Fatalf("%s ended as %s: %s", route, v.Data.Status, v.Data.Error.Message)
	}
	return v
}

// keeps downloads an output and reports whether it is of a kind.
func keeps(t *testing.T, h *rig.House, app, url, kind string) bool {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Send(r)
	if err != nil || a.Status != http.StatusOK || len(a.Body) < 1000 {
		t.Errorf("%s: %v, status %d, %d bytes", url, err, a.Status, len(a.Body))
		return false
	}
	said := a.Header.Get("Content-Type")
	if is := http.DetectContentType([]byte(a.Body)); !strings.HasPrefix(is, strings.SplitN(said, "/", 2)[0]+"/") && said != "audio/ogg" {
		t.Errorf("%s is said to be %s and is %s", url, said, is)
	}
	if folder := os.Getenv("STELE_TEST_SHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, app+"-"+path.Base(r.URL.Path)), []byte(a.Body), 0o600); err != nil {
			t.Error(err)
		}
	}
	return strings.HasPrefix(said, kind)
}

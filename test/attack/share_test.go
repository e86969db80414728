package attack

import (
	"bytes"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/test/rig"
)

// A workspace that fills its part of the disk hears so, and the others go on.
func TestOneWorkspaceFillsTheDiskForNobodyElse(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	s.reload(t, fmt.Sprintf("storage_per_workspace: %dMB", diskShare))
	s.under(t, func() {
		flood := fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"x [[sandbox: outputs=16 bytes=%d]]"}`, diskShare<<20/8)
		id := generationID.FindString(s.send(t, "/api/v1/generations", "application/json", strings.NewReader(flood)).Body)
		if a := s.Get(t, "/api/v1/generations/"+id+"?wait=30", s.bad.Key); !strings.Contains(a.Body, "on disk") {
			t.Errorf("twice the share of the sandbox: %d %.300s", a.Status, a.Body)
		}
		const size, each = 5, diskShare / 10 // MB, and how many of each worker: four times the share
		var refused atomic.Int64
		together(8, func(worker int) {
			for i := range each {
				a := s.uploadText(t, size<<20)
				if a.Status == http.StatusForbidden && strings.Contains(a.Body, "on disk") && a.Header.Get("X-Should-Retry") == "false" {
					refused.Add(1)
				} else if a.Status != http.StatusOK {
					t.Errorf("upload %d of %d: %d %.200s", i, worker, a.Status, a.Body)
				}
			}
		})
		if refused.Load() < 8*each-diskShare/size-3 {
			t.Errorf("of %d uploads with %d MB each %d were refused", 8*each, size, refused.Load())
		}
		for range 16 { // what is left
			s.uploadText(t, 512<<10)
		}
		for name, body := range map[string]string{
			"/api/v1/generations":           flood,
			"/api/v1/apps/card/generations": `{"headline":"x"}`,
		} {
			if a := s.send(t, name, "application/json", strings.NewReader(body)); a.Status != http.StatusForbidden {
				t.Errorf("an order at %s: %d %.200s", name, a.Status, a.Body)
			}
		}
		if a := s.chat(t, `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}]}`); a.Status != http.StatusOK {
			t.Errorf("a chat of the full workspace: %d %.200s", a.Status, a.Body)
		}
		s.neighbour.wait(t)
	})
	if size := folderSize(t, filepath.Join(s.Data, "blobs")); size > diskShare<<20*4/3 {
		t.Errorf("%d MB of files are on the disk", size>>20)
	}
	s.Kill(t)
}

// reload gives the house a limit more.
func (s *siege) reload(t *testing.T, limit string) {
	t.Helper()
	config := strings.Replace(s.config, "limits: {", "limits: {"+limit+", ", 1)
	if bounds == "" {
		config = s.config + "limits: {" + limit + "}\n"
	}
	if err := os.WriteFile(s.Config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "config", "reload")
}

// uploadText uploads so many bytes of text for the bad tenant.
func (s *siege) uploadText(t *testing.T, size int) rig.Answer {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("purpose", "user_data")
	part, err := w.CreateFormFile("file", "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(bytes.Repeat([]byte("words "), size/6))
	_ = w.Close()
	return s.send(t, "/api/v1/files", w.FormDataContentType(), &form)
}

func folderSize(t *testing.T, folder string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return nil // one that is gone meanwhile takes nothing
	})
	if err != nil {
		t.Error(err)
	}
	return size
}

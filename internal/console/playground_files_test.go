package console_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/file"
)

func TestAFileIsAttachedAndSeenByTheModel(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	f := h.attach(t, "notes.txt", "Remember the milk, and the honey.")
	if f.Kind != "document" || f.Type != "text/plain" || !strings.HasPrefix(f.URL, "/files/"+f.ID+"/notes.txt?") {
		t.Fatalf("kept as %+v", f)
	}
	talk := `{"model":"stele/sandbox","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"` + f.ID + `"}},{"type":"text","text":"Read it"}]}]}`
	wantText(t, said(events(t, body(t, h.postJSON(run, talk))), "text"), "Remember the milk")

	page := body(t, h.postJSON("/console/playground/code", talk))
	wantText(t, page, "&#34;file_id&#34;", f.ID, "/files/"+f.ID+"/notes.txt", "fileUri", "&#34;document&#34;")
}

type kept struct{ ID, Name, Kind, Type, URL string }

func (h *house) attach(t *testing.T, name, text string) kept {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, text)
	_ = w.Close()
	res := h.send(httptest.NewRequest(http.MethodPost, h.base+"/console/playground/files", &form), header{"Content-Type", w.FormDataContentType()})
	wantStatus(t, res, 201)
	var f kept
	if err := json.Unmarshal([]byte(body(t, res)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilesOfAnotherWorkspaceAreNotThere(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	f, err := kept.files.Save(t.Context(), file.Upload{Workspace: "other", Name: "plans.txt", Body: strings.NewReader("secret plans"), Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	talk := `{"model":"stele/sandbox","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"` + f.ID + `"}}]}]}`
	wantCode(t, h.postJSON(run, talk), 404, "file_not_found")
	wantCode(t, h.postJSON("/console/playground/code", talk), 404, "file_not_found")
}

func TestAnUploadIsWrittenDownAndABadOneLeavesNothing(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	f := h.attach(t, "notes.txt", "words")
	admin, err := h.access.BySession(t.Context(), h.cookie)
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.access.Audit(t.Context(), admin.Principal(), access.Filter{Action: "file.upload", Limit: 10})
	if err != nil || len(list) != 1 || list[0].Target != f.ID || list[0].Actor != admin.User.ID {
		t.Errorf("the log has %+v, %v", list, err)
	}
	form := url.Values{"file": {"words"}}
	wantCode(t, h.post("/console/playground/files", form), 415, "unsupported_content_type")
	const cut = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwords without an end"
	r := httptest.NewRequest(http.MethodPost, "/console/playground/files", strings.NewReader(cut))
	wantCode(t, h.send(r, header{"Content-Type", "multipart/form-data; boundary=x"}), 400, "invalid_request_body")
	r = httptest.NewRequest(http.MethodPost, "/console/playground/files", strings.NewReader(strings.ReplaceAll(cut, `"file"`, `"other"`)))
	wantCode(t, h.send(r, header{"Content-Type", "multipart/form-data; boundary=x"}), 400, "missing_file")
}

package playground_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/file"
)

func TestAFileIsAttachedAndSeenByTheModel(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	f := h.Attach(t, "notes.txt", "Remember the milk, and the honey.")
	if f.Kind != "document" || f.Type != "text/plain" || !strings.HasPrefix(f.URL, "/files/"+f.ID+"/notes.txt?") {
		t.Fatalf("kept as %+v", f)
	}
	talk := `{"model":"stele/sandbox","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"` + f.ID + `"}},{"type":"text","text":"Read it"}]}]}`
	consoletest.WantText(t, consoletest.Said(consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, talk))), "text"), "Remember the milk")

	page := consoletest.Body(t, h.PostJSON("/console/playground/code", talk))
	consoletest.WantText(t, page, "&#34;file_id&#34;", f.ID, "/files/"+f.ID+"/notes.txt", "fileUri", "&#34;document&#34;")
}

func TestFilesOfAnotherWorkspaceAreNotThere(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	f, err := kept.Files.Save(t.Context(), file.Upload{Workspace: "other", Name: "plans.txt", Body: strings.NewReader("secret plans"), Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	talk := `{"model":"stele/sandbox","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"` + f.ID + `"}}]}]}`
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, talk), 404, "file_not_found")
	consoletest.WantCode(t, h.PostJSON("/console/playground/code", talk), 404, "file_not_found")
}

func TestAnUploadIsWrittenDownAndABadOneLeavesNothing(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	f := h.Attach(t, "notes.txt", "words")
	admin, err := h.Access.BySession(t.Context(), h.Cookie)
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.Access.Audit(t.Context(), admin.Principal(), access.Filter{Action: "file.upload", Limit: 10})
	if err != nil || len(list) != 1 || list[0].Target != f.ID || list[0].Actor != admin.User.ID {
		t.Errorf("the log has %+v, %v", list, err)
	}
	form := url.Values{"file": {"words"}}
	consoletest.WantCode(t, h.Post("/console/playground/files", form), 415, "unsupported_content_type")
	const cut = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwords without an end"
	r := httptest.NewRequest(http.MethodPost, "/console/playground/files", strings.NewReader(cut))
	consoletest.WantCode(t, h.Send(r, consoletest.With("Content-Type", "multipart/form-data; boundary=x")), 400, "invalid_request_body")
	r = httptest.NewRequest(http.MethodPost, "/console/playground/files", strings.NewReader(strings.ReplaceAll(cut, `"file"`, `"other"`)))
	consoletest.WantCode(t, h.Send(r, consoletest.With("Content-Type", "multipart/form-data; boundary=x")), 400, "missing_file")
}

package console_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/generation"
)

func openApps(t *testing.T) (*house, *workshop) {
	t.Helper()
	w := &workshop{}
	return opened(t, withApps(w)), w
}

func TestWithoutAppsTheRoomIsNotThere(t *testing.T) {
	t.Parallel()
	h := opened(t)
	wantCode(t, h.get("/console/apps"), 404, "not_found")
	wantCode(t, h.get("/console/apps/social-card"), 404, "not_found")
	if strings.Contains(body(t, h.get("/console/keys", browser)), "/console/apps") {
		t.Error("the way to it is shown")
	}
}

func TestTheCatalogueShowsEveryApp(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	if _, err := w.editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "drafted", "app: drafted\nname: <b>Drafted</b>\nsteps: ["); err != nil {
		t.Fatal(err)
	}
	if _, err := w.editor.Create(t.Context(), access.Principal{Workspace: "other", User: "usr_x"}, "theirs", "app: theirs\n"); err != nil {
		t.Fatal(err)
	}
	page := body(t, h.get("/console/apps", browser))
	wantText(t, page, "Social card", "built in", "/console/apps/social-card", "/console/apps/drafted/edit", "draft")
	for _, not := range []string{"theirs", "<b>Drafted"} {
		if strings.Contains(page, not) {
			t.Errorf("the page shows %q", not)
		}
	}
	page = body(t, h.get("/console/apps?makes=audio", browser))
	wantText(t, page, "Podcast intro")
	if strings.Contains(page, "Social card") {
		t.Error("a picture is no sound")
	}
}

var runID = regexp.MustCompile(`name="run" value="(gen_[^"]+)"`)

func TestARunIsStartedOncePerForm(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	page := body(t, h.get("/console/apps/social-card", browser))
	wantText(t, page, `name="in.headline"`, `maxlength="120"`, "<option selected>link</option>", "The price shows when", "curl http://127.0.0.1:8080/api/v1/apps/social-card/generations")
	id := runID.FindStringSubmatch(page)[1]
	form := url.Values{"run": {id}, "in.headline": {"Paint the sea"}, "in.network": {"square"}, "in.palette": {"ocean"}, "in.seed": {"7"}, "in.signature": {"us"}}
	for range 2 {
		res := h.post("/console/apps/social-card/runs", form, browser)
		wantStatus(t, res, 303)
		if to := res.Header.Get("Location"); to != "/console/apps/social-card/runs/"+id {
			t.Fatalf("sent to %s", to)
		}
	}
	task := w.end(t, id)
	if task.State != "success" || task.Order.User == "" || task.Order.Parameters["seed"] != int64(7) {
		t.Fatalf("%s %s: %+v", task.State, task.Message, task.Order)
	}
	page = body(t, h.get("/console/apps/social-card/runs/"+id, browser))
	wantText(t, page, ">done</span>", `aria-label="Result"`, "/files/file_", "step-card", "step-signed", "text to image", "Paint the sea", email, "Run again")
	if strings.Contains(page, "hx-get=") {
		t.Error("a run that has ended is still watched")
	}
	page = body(t, h.get("/console/apps/social-card", browser))
	wantText(t, page, "/runs/"+id, "Paint the sea", email)
	wantText(t, body(t, h.get("/console/apps/social-card?again="+id, browser)), `value="Paint the sea"`, `value="7"`, "<option selected>square</option>")
	tasks, err := h.store.List(t.Context(), generation.Wanted{Workspace: "default", App: "social-card", Limit: 9})
	if err != nil || len(tasks) != 1 {
		t.Errorf("%d runs, %v", len(tasks), err)
	}
	entries, err := h.store.Entries(t.Context(), access.Filter{Workspace: "default", Action: "app.run", Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Target != id || entries[0].Detail != "social-card" {
		t.Errorf("audit %+v, %v", entries, err)
	}
}

func TestMistakesInAFormAreShownBesideTheirInput(t *testing.T) {
	t.Parallel()
	h, _ := openApps(t)
	good := url.Values{"run": {generation.NewID()}, "in.headline": {"kept"}, "in.network": {"link"}}
	for field, bad := range map[string]string{"in.headline": "", "in.network": "fax", "in.seed": "many"} {
		form := maps.Clone(good)
		form.Set(field, bad)
		res := h.post("/console/apps/social-card/runs", form, browser)
		wantStatus(t, res, 422)
		page := body(t, res)
		wantText(t, page, `<p class="wrong"`, `aria-invalid="true"`)
		if field != "in.headline" {
			wantText(t, page, `value="kept"`)
		}
	}
	wantCode(t, h.post("/console/apps/social-card/runs", url.Values{"run": {"mine"}, "in.headline": {"x"}}), 400, "invalid_request_body")
	wantText(t, body(t, h.post("/console/apps/social-card/price", url.Values{"in.headline": {"x"}}, browser)), "Costs nothing")
	wantText(t, body(t, h.post("/console/apps/social-card/price", url.Values{"in.headline": {"x"}, "in.network": {"fax"}}, browser)), "network takes")
}

func TestRunsOfOthersAreNotShown(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	theirs := generation.NewID()
	if _, err := w.runner.Create(t.Context(), access.Principal{Workspace: "other", Key: "key_x"}, theirs, "social-card", []byte(`{"headline":"secret plan"}`)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/apps/social-card/runs/" + theirs, "/console/apps/social-card/runs/" + theirs + "/live", "/console/apps/social-card?again=" + theirs} {
		wantCode(t, h.get(path), 404, "generation_not_found")
	}
	wantCode(t, h.post("/console/apps/social-card/runs/"+theirs+"/cancel", nil), 404, "generation_not_found")
	if strings.Contains(body(t, h.get("/console/apps/social-card", browser)), "secret plan") {
		t.Error("another workspace's run is listed")
	}
	// Nor is one shown under another app's path.
	mine := generation.NewID()
	if _, err := w.runner.Create(t.Context(), access.Principal{Workspace: "default", Key: "key_x"}, mine, "social-card", []byte(`{"headline":"x"}`)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, h.get("/console/apps/watermark/runs/"+mine), 404, "generation_not_found")
}

func TestWrongFilesAreCheckedWithTheirPlace(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	recipe, err := w.runner.Open(access.Principal{Workspace: "default"}, "social-card")
	if err != nil {
		t.Fatal(err)
	}
	right := recipe.Source()
	check := func(source string) string {
		res := h.post("/console/apps/check", url.Values{"app": {"social-card"}, "source": {strings.ReplaceAll(source, "\n", "\r\n")}}, browser)
		wantStatus(t, res, 200)
		return body(t, res)
	}
	wantText(t, check(right), "No problems: 6 inputs, 2 steps.")
	for wrong, want := range map[string][]string{
		strings.Replace(right, "${inputs.headline}", "${inputs.headlin}", 1):   {`data-line="23"`, "headlin"},
		strings.Replace(right, "mode: text_to_image", "mode: text_to_imag", 1): {"did you mean", "text_to_image"},
		strings.Replace(right, "model: stele/canvas", "model: stele/canvs", 1): {"not offered"},
		strings.Replace(right, "size: 1280", "size: huge", 1):                  {"size takes"},
		strings.Replace(right, "app: social-card", "app: other", 1):            {"must stay"},
		right + "extra: 1\n": {"unknown field"},
		"a: [1":              {`data-line="1"`},
		"":                   {"problem"},
	} {
		wantText(t, check(wrong), want...)
	}
	if page := check("app: <script>x</script>\n"); strings.Contains(page, "<script>") {
		t.Error("markup comes through")
	}
}

func TestAnAppIsWrittenPublishedAndTakenBack(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	wantText(t, body(t, h.get("/console/apps/new?from=social-card", browser)), `value="social-card-copy"`, `<option value="social-card" selected>`)
	wantStatus(t, h.post("/console/apps/new", url.Values{"id": {"social-card"}, "from": {"social-card"}}, browser), 422)
	res := h.post("/console/apps/new", url.Values{"id": {"mine"}, "from": {"social-card"}}, browser)
	wantStatus(t, res, 303)
	page := body(t, h.get("/console/apps/mine/edit", browser))
	wantText(t, page, "app: mine", "not published", "Save draft", "Publish version 1?", "No problems")
	wantStatus(t, h.get("/console/apps/mine", browser), 303) // to the editor, as it cannot be run

	who := access.Principal{Workspace: "default", User: "usr_x"}
	d, err := w.editor.Draft(t.Context(), who, "mine")
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(d.Source, "model: stele/canvas", "model: stele/nothing", 1)
	wantStatus(t, h.post("/console/apps/mine/edit", url.Values{"source": {wrong}}, browser), 303)
	res = h.post("/console/apps/mine/publish", url.Values{"source": {wrong}}, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "was not published", "stele/nothing")
	wantStatus(t, h.post("/console/apps/mine/publish", url.Values{"source": {d.Source}}, browser), 303)
	wantText(t, body(t, h.get("/console/apps/mine/edit?done=published", browser)), "Published.", "version 1 is offered", "/versions/1/restore")
	wantText(t, body(t, h.get("/console/apps/mine", browser)), "version 1", "console", ">Edit<")
	next := strings.Replace(d.Source, "name: Social card", "name: Second", 1)
	wantStatus(t, h.post("/console/apps/mine/publish", url.Values{"source": {next}}, browser), 303)
	wantText(t, body(t, h.get("/console/apps/mine/versions/1", browser)), "Version 1 of Social card", "Make this the draft", "readonly")
	wantStatus(t, h.post("/console/apps/mine/versions/1/restore", nil, browser), 303)
	if d, err = w.editor.Draft(t.Context(), who, "mine"); err != nil || d.Offered != 2 || strings.Contains(d.Source, "name: Second") {
		t.Errorf("%+v, %v", d, err)
	}
	wantText(t, body(t, h.get("/console/apps/mine", browser)), "Second", "draft differs")
	wantCode(t, h.get("/console/apps/mine/versions/9"), 404, "not_found")
	wantStatus(t, h.post("/console/apps/mine/edit", url.Values{"source": {"x"}, "revision": {"1"}}, browser), 409)
	wantStatus(t, h.post("/console/apps/mine/delete", nil, browser), 422)
	wantStatus(t, h.post("/console/apps/mine/unpublish", nil, browser), 303)
	wantStatus(t, h.post("/console/apps/mine/delete", nil, browser), 303)
	wantCode(t, h.get("/console/apps/mine/edit"), 404, "not_found")
	for _, action := range []string{"app.create", "app.save", "app.publish", "app.restore", "app.unpublish", "app.delete"} {
		entries, err := h.store.Entries(t.Context(), access.Filter{Workspace: "default", Action: action, Limit: 9})
		if err != nil || len(entries) == 0 || entries[0].Target != "mine" {
			t.Errorf("%s: %+v, %v", action, entries, err)
		}
	}
}

func TestABuiltInAppIsReadOnly(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	wantText(t, body(t, h.get("/console/apps/social-card/edit", browser)), "This app is built in.", "readonly", "Duplicate")
	wantCode(t, h.post("/console/apps/social-card/edit", url.Values{"source": {"x"}}), 404, "not_found")
	// A file that comes later stands before what somebody published.
	if _, err := w.editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "later", "app: later\n"); err != nil {
		t.Fatal(err)
	}
	file, err := app.Read("later.yaml", []byte(strings.Replace(app.BuiltIn()[0].Source(), "app: "+app.BuiltIn()[0].ID, "app: later", 1)))
	if err != nil {
		t.Fatal(err)
	}
	file.Origin = app.FromFile
	if err := w.library.Replace([]app.Recipe{file}); err != nil {
		t.Fatal(err)
	}
	wantText(t, body(t, h.get("/console/apps/later/edit", browser)), "files win", "readonly")
}

func TestDraftsOfOtherWorkspacesAreNotThere(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	theirs := access.Principal{Workspace: "other", User: "usr_x"}
	if _, err := w.editor.Create(t.Context(), theirs, "theirs", "app: theirs\n"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/apps/theirs", "/console/apps/theirs/edit", "/console/apps/theirs/versions/1"} {
		wantCode(t, h.get(path), 404, "not_found")
	}
	source := strings.Replace(app.BuiltIn()[0].Source(), "app: "+app.BuiltIn()[0].ID, "app: theirs", 1)
	for _, path := range []string{"edit", "publish", "unpublish", "delete", "versions/1/restore", "runs", "price"} {
		wantCode(t, h.post("/console/apps/theirs/"+path, url.Values{"source": {source}, "run": {generation.NewID()}}), 404, "not_found")
	}
	wantCode(t, h.post("/console/apps/new", url.Values{"id": {"copy"}, "from": {"theirs"}}), 404, "not_found")
}

func TestAViewerLooksAndChangesNothing(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	mine := generation.NewID()
	if _, err := w.runner.Create(t.Context(), access.Principal{Workspace: "default", Key: "key_x"}, mine, "social-card", []byte(`{"headline":"x"}`)); err != nil {
		t.Fatal(err)
	}
	w.end(t, mine)
	if _, err := w.editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "drafted", "app: drafted\n"); err != nil {
		t.Fatal(err)
	}
	admin, err := h.access.BySession(t.Context(), h.cookie)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.access.AddPerson(t.Context(), admin.Principal(), access.NewPerson{Email: "eyes@example.com", Role: access.Viewer, Password: password}); err != nil {
		t.Fatal(err)
	}
	if _, h.cookie, err = h.access.SignIn(t.Context(), "eyes@example.com", password, access.Browser{Remote: "192.0.2.9"}); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{
		"/console/apps": "Social card", "/console/apps/social-card": "need the role member", "/console/apps/social-card/runs/" + mine: "Steps",
		"/console/apps/drafted/edit": "not change them", "/console/apps/social-card/edit": "built in",
	}
	for path, words := range pages {
		res := h.get(path, browser)
		wantStatus(t, res, 200)
		page := body(t, res)
		wantText(t, page, words)
		if forms := strings.Count(page, "<form"); forms > strings.Count(page, "/console/signout")+strings.Count(page, "editor-form")+strings.Count(page, "/console/workspace") {
			t.Errorf("%s offers a viewer %d forms", path, forms)
		}
	}
	for _, path := range []string{
		"new", "check", "files", "social-card/runs", "social-card/price", "social-card/runs/" + mine + "/cancel", "drafted/edit", "drafted/publish",
		"drafted/unpublish", "drafted/delete", "drafted/versions/1/restore",
	} {
		wantCode(t, h.post("/console/apps/"+path, url.Values{"source": {"app: x"}}), 403, "permission_denied")
	}
}

const slow = `app: slow
name: Slow
media_type: image
inputs:
  - {name: copies, type: integer, default: 2, min: 1, max: 9}
  - {name: think, type: string, default: wait}
steps:
  - id: think
    chat: {model: stele/sandbox, prompt: "${inputs.think}"}
  - id: draw
    after: [think]
    each: ${1..inputs.copies}
    most: 3
    generate: {model: stele/canvas, mode: text_to_image, with: {prompt: "${steps.think.text}", width: 256, height: 256}}
result: {images: "${map(steps.draw, .image)}"}
`

// publish puts an app on the shelf.
func (w *workshop) publish(t *testing.T, id, source string) {
	t.Helper()
	who := access.Principal{Workspace: "default", User: "usr_x"}
	if _, err := w.editor.Create(t.Context(), who, id, source); err != nil {
		t.Fatal(err)
	}
	if _, err := w.editor.Publish(t.Context(), who, id, source, 0, false); err != nil {
		t.Fatal(err)
	}
}

func TestARunIsWatchedAndCanceled(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	w.publish(t, "slow", slow)
	id := generation.NewID()
	wantStatus(t, h.post("/console/apps/slow/runs", url.Values{"run": {id}, "in.copies": {"2"}, "in.think": {"wait"}}, browser), 303)
	at := "/console/apps/slow/runs/" + id
	page := body(t, h.get(at+"/live", browser))
	wantText(t, page, `hx-get="`+at+`/live"`, `hx-trigger="every 1s"`, "/cancel", "step-think", "step-draw")
	if strings.Contains(page, "<html") {
		t.Error("what is renewed is a whole page")
	}
	wantStatus(t, h.post(at+"/cancel", nil, browser), 303)
	if task := w.end(t, id); task.State != "canceled" || task.Nano != 0 {
		t.Errorf("%s, cost %d", task.State, task.Nano)
	}
	page = body(t, h.get(at, browser))
	wantText(t, page, ">canceled</span>", "not done", "Run again")
	if strings.Contains(page, "hx-get=") {
		t.Error("a run that has ended is still watched")
	}
	entries, err := h.store.Entries(t.Context(), access.Filter{Workspace: "default", Action: "generation.cancel", Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Target != id {
		t.Errorf("audit %+v, %v", entries, err)
	}
}

func TestAFailureIsToldAtItsStep(t *testing.T) {
	t.Parallel()
	h, w := openApps(t)
	w.publish(t, "slow", slow)
	id := generation.NewID()
	wantStatus(t, h.post("/console/apps/slow/runs", url.Values{"run": {id}, "in.copies": {"5"}, "in.think": {"at once"}}, browser), 303)
	if task := w.end(t, id); task.State != "failed" {
		t.Fatalf("%s", task.State)
	}
	page := body(t, h.get("/console/apps/slow/runs/"+id, browser))
	wantText(t, page, ">failed</span>", `<p class="problem" role="alert">Step draw: There are 5 items`)
	_, step, _ := strings.Cut(page, `id="step-draw"`)
	step, _, _ = strings.Cut(step, "</li>")
	wantText(t, step, `<p class="wrong">There are 5 items, and at most 3 may be`)
}

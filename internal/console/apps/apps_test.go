package apps_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/consoletest"
	"stele/internal/generation"
)

func TestWithoutAppsTheRoomIsNotThere(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	consoletest.WantCode(t, h.Get("/console/apps"), 404, "not_found")
	consoletest.WantCode(t, h.Get("/console/apps/social-card"), 404, "not_found")
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "/console/apps") {
		t.Error("the way to it is shown")
	}
}

func TestTheCatalogueShowsEveryApp(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	if _, err := w.Editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "drafted", "app: drafted\nname: <b>Drafted</b>\nsteps: ["); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Editor.Create(t.Context(), access.Principal{Workspace: "other", User: "usr_x"}, "theirs", "app: theirs\n"); err != nil {
		t.Fatal(err)
	}
	page := consoletest.Body(t, h.Get("/console/apps", consoletest.Browser))
	consoletest.WantText(t, page, "Social card", "built in", "/console/apps/social-card", "/console/apps/drafted/edit", "draft")
	for _, not := range []string{"theirs", "<b>Drafted"} {
		if strings.Contains(page, not) {
			t.Errorf("the page shows %q", not)
		}
	}
	page = consoletest.Body(t, h.Get("/console/apps?makes=audio", consoletest.Browser))
	consoletest.WantText(t, page, "Podcast intro")
	if strings.Contains(page, "Social card") {
		t.Error("a picture is no sound")
	}
}

var runID = regexp.MustCompile(`name="run" value="(gen_[^"]+)"`)

func TestARunIsStartedOncePerForm(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	page := consoletest.Body(t, h.Get("/console/apps/social-card", consoletest.Browser))
	consoletest.WantText(t, page, `name="in.headline"`, `maxlength="120"`, `<option value="link" selected>link</option>`, "The price shows when", "curl http://127.0.0.1:8080/api/v1/apps/social-card/generations")
	id := runID.FindStringSubmatch(page)[1]
	form := url.Values{"run": {id}, "in.headline": {"Paint the sea"}, "in.network": {"square"}, "in.palette": {"ocean"}, "in.seed": {"7"}, "in.signature": {"us"}}
	for range 2 {
		res := h.Post("/console/apps/social-card/runs", form, consoletest.Browser)
		consoletest.WantStatus(t, res, 303)
		if to := res.Header.Get("Location"); to != "/console/apps/social-card/runs/"+id {
			t.Fatalf("sent to %s", to)
		}
	}
	task := w.End(t, id)
	if task.State != "success" || task.Order.User == "" || task.Order.Parameters["seed"] != int64(7) {
		t.Fatalf("%s %s: %+v", task.State, task.Message, task.Order)
	}
	page = consoletest.Body(t, h.Get("/console/apps/social-card/runs/"+id, consoletest.Browser))
	consoletest.WantText(t, page, ">done</span>", `aria-label="Result"`, "/files/file_", "step-card", "step-signed", "text to image", "Paint the sea", consoletest.Email, "Run again")
	if strings.Contains(page, "hx-get=") {
		t.Error("a run that has ended is still watched")
	}
	page = consoletest.Body(t, h.Get("/console/apps/social-card", consoletest.Browser))
	consoletest.WantText(t, page, "/runs/"+id, "Paint the sea", consoletest.Email)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/social-card?again="+id, consoletest.Browser)), `value="Paint the sea"`, `value="7"`, `<option value="square" selected>square</option>`)
	tasks, err := h.Store.List(t.Context(), generation.Wanted{Workspace: "default", App: "social-card", Limit: 9})
	if err != nil || len(tasks) != 1 {
		t.Errorf("%d runs, %v", len(tasks), err)
	}
	entries, err := h.Store.Entries(t.Context(), access.Filter{Workspace: "default", Action: "app.run", Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Target != id || entries[0].Detail != "social-card" {
		t.Errorf("audit %+v, %v", entries, err)
	}
}

func TestMistakesInAFormAreShownBesideTheirInput(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenApps(t)
	good := url.Values{"run": {generation.NewID()}, "in.headline": {"kept"}, "in.network": {"link"}}
	for field, bad := range map[string]string{"in.headline": "", "in.network": "fax", "in.seed": "many"} {
		form := maps.Clone(good)
		form.Set(field, bad)
		res := h.Post("/console/apps/social-card/runs", form, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		page := consoletest.Body(t, res)
		consoletest.WantText(t, page, `<p class="wrong"`, `aria-invalid="true"`)
		if field != "in.headline" {
			consoletest.WantText(t, page, `value="kept"`)
		}
	}
	consoletest.WantCode(t, h.Post("/console/apps/social-card/runs", url.Values{"run": {"mine"}, "in.headline": {"x"}}), 400, "invalid_request_body")
	consoletest.WantText(t, consoletest.Body(t, h.Post("/console/apps/social-card/price", url.Values{"in.headline": {"x"}}, consoletest.Browser)), "Costs nothing")
	consoletest.WantText(t, consoletest.Body(t, h.Post("/console/apps/social-card/price", url.Values{"in.headline": {"x"}, "in.network": {"fax"}}, consoletest.Browser)), "network takes")
}

func TestRunsOfOthersAreNotShown(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	theirs := generation.NewID()
	if _, err := w.Runner.Create(t.Context(), access.Principal{Workspace: "other", Key: "key_x"}, theirs, "social-card", []byte(`{"headline":"secret plan"}`)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/apps/social-card/runs/" + theirs, "/console/apps/social-card/runs/" + theirs + "/live", "/console/apps/social-card?again=" + theirs} {
		consoletest.WantCode(t, h.Get(path), 404, "generation_not_found")
	}
	consoletest.WantCode(t, h.Post("/console/apps/social-card/runs/"+theirs+"/cancel", nil), 404, "generation_not_found")
	if strings.Contains(consoletest.Body(t, h.Get("/console/apps/social-card", consoletest.Browser)), "secret plan") {
		t.Error("another workspace's run is listed")
	}
	// Nor is one shown under another app's path.
	mine := generation.NewID()
	if _, err := w.Runner.Create(t.Context(), access.Principal{Workspace: "default", Key: "key_x"}, mine, "social-card", []byte(`{"headline":"x"}`)); err != nil {
		t.Fatal(err)
	}
	consoletest.WantCode(t, h.Get("/console/apps/watermark/runs/"+mine), 404, "generation_not_found")
}

func TestWrongFilesAreCheckedWithTheirPlace(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	recipe, err := w.Runner.Open(access.Principal{Workspace: "default"}, "social-card")
	if err != nil {
		t.Fatal(err)
	}
	right := recipe.Source()
	check := func(source string) string {
		res := h.Post("/console/apps/check", url.Values{"app": {"social-card"}, "source": {strings.ReplaceAll(source, "\n", "\r\n")}}, consoletest.Browser)
		consoletest.WantStatus(t, res, 200)
		return consoletest.Body(t, res)
	}
	consoletest.WantText(t, check(right), "No problems: 6 inputs, 2 steps.")
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
		consoletest.WantText(t, check(wrong), want...)
	}
	if page := check("app: <script>x</script>\n"); strings.Contains(page, "<script>") {
		t.Error("markup comes through")
	}
}

func TestAnAppIsWrittenPublishedAndTakenBack(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/new?from=social-card", consoletest.Browser)), `value="social-card-copy"`, `<option value="social-card" selected>`)
	consoletest.WantStatus(t, h.Post("/console/apps/new", url.Values{"id": {"social-card"}, "from": {"social-card"}}, consoletest.Browser), 422)
	res := h.Post("/console/apps/new", url.Values{"id": {"mine"}, "from": {"social-card"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	page := consoletest.Body(t, h.Get("/console/apps/mine/edit", consoletest.Browser))
	consoletest.WantText(t, page, "app: mine", "not published", "Save draft", "Publish version 1?", "No problems")
	consoletest.WantStatus(t, h.Get("/console/apps/mine", consoletest.Browser), 303) // to the editor, as it cannot be run

	who := access.Principal{Workspace: "default", User: "usr_x"}
	d, err := w.Editor.Draft(t.Context(), who, "mine")
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(d.Source, "model: stele/canvas", "model: stele/nothing", 1)
	consoletest.WantStatus(t, h.Post("/console/apps/mine/edit", url.Values{"source": {wrong}}, consoletest.Browser), 303)
	res = h.Post("/console/apps/mine/publish", url.Values{"source": {wrong}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "was not published", "stele/nothing")
	consoletest.WantStatus(t, h.Post("/console/apps/mine/publish", url.Values{"source": {d.Source}}, consoletest.Browser), 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/mine/edit?done=published", consoletest.Browser)), "Published.", "version 1 is offered", "/versions/1/restore")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/mine", consoletest.Browser)), "version 1", "console", ">Edit<")
	next := strings.Replace(d.Source, "name: Social card", "name: Second", 1)
	consoletest.WantStatus(t, h.Post("/console/apps/mine/publish", url.Values{"source": {next}}, consoletest.Browser), 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/mine/versions/1", consoletest.Browser)), "Version 1 of Social card", "Make this the draft", "readonly")
	consoletest.WantStatus(t, h.Post("/console/apps/mine/versions/1/restore", nil, consoletest.Browser), 303)
	if d, err = w.Editor.Draft(t.Context(), who, "mine"); err != nil || d.Offered != 2 || strings.Contains(d.Source, "name: Second") {
		t.Errorf("%+v, %v", d, err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/mine", consoletest.Browser)), "Second", "draft differs")
	consoletest.WantCode(t, h.Get("/console/apps/mine/versions/9"), 404, "not_found")
	consoletest.WantStatus(t, h.Post("/console/apps/mine/edit", url.Values{"source": {"x"}, "revision": {"1"}}, consoletest.Browser), 409)
	consoletest.WantStatus(t, h.Post("/console/apps/mine/delete", nil, consoletest.Browser), 422)
	consoletest.WantStatus(t, h.Post("/console/apps/mine/unpublish", nil, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/apps/mine/delete", nil, consoletest.Browser), 303)
	consoletest.WantCode(t, h.Get("/console/apps/mine/edit"), 404, "not_found")
	for _, action := range []string{"app.create", "app.save", "app.publish", "app.restore", "app.unpublish", "app.delete"} {
		entries, err := h.Store.Entries(t.Context(), access.Filter{Workspace: "default", Action: action, Limit: 9})
		if err != nil || len(entries) == 0 || entries[0].Target != "mine" {
			t.Errorf("%s: %+v, %v", action, entries, err)
		}
	}
}

func TestABuiltInAppIsReadOnly(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/social-card/edit", consoletest.Browser)), "This app is built in.", "readonly", "Duplicate")
	consoletest.WantCode(t, h.Post("/console/apps/social-card/edit", url.Values{"source": {"x"}}), 404, "not_found")
	// A file that comes later stands before what a person published.
	if _, err := w.Editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "later", "app: later\n"); err != nil {
		t.Fatal(err)
	}
	file, err := app.Read("later.yaml", []byte(strings.Replace(app.BuiltIn()[0].Source(), "app: "+app.BuiltIn()[0].ID, "app: later", 1)))
	if err != nil {
		t.Fatal(err)
	}
	file.Origin = app.FromFile
	if err := w.Library.Replace([]app.Recipe{file}); err != nil {
		t.Fatal(err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/later/edit", consoletest.Browser)), "files win", "readonly")
}

func TestDraftsOfOtherWorkspacesAreNotThere(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	theirs := access.Principal{Workspace: "other", User: "usr_x"}
	if _, err := w.Editor.Create(t.Context(), theirs, "theirs", "app: theirs\n"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/apps/theirs", "/console/apps/theirs/edit", "/console/apps/theirs/versions/1"} {
		consoletest.WantCode(t, h.Get(path), 404, "not_found")
	}
	source := strings.Replace(app.BuiltIn()[0].Source(), "app: "+app.BuiltIn()[0].ID, "app: theirs", 1)
	for _, path := range []string{"edit", "publish", "unpublish", "delete", "versions/1/restore", "runs", "price"} {
		consoletest.WantCode(t, h.Post("/console/apps/theirs/"+path, url.Values{"source": {source}, "run": {generation.NewID()}}), 404, "not_found")
	}
	consoletest.WantCode(t, h.Post("/console/apps/new", url.Values{"id": {"copy"}, "from": {"theirs"}}), 404, "not_found")
}

func TestAViewerLooksAndChangesNothing(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	mine := generation.NewID()
	if _, err := w.Runner.Create(t.Context(), access.Principal{Workspace: "default", Key: "key_x"}, mine, "social-card", []byte(`{"headline":"x"}`)); err != nil {
		t.Fatal(err)
	}
	w.End(t, mine)
	if _, err := w.Editor.Create(t.Context(), access.Principal{Workspace: "default", User: "usr_x"}, "drafted", "app: drafted\n"); err != nil {
		t.Fatal(err)
	}
	admin, err := h.Access.BySession(t.Context(), h.Cookie)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Access.AddPerson(t.Context(), admin.Principal(), access.NewPerson{Email: "eyes@example.com", Role: access.Viewer, Password: consoletest.Password}); err != nil {
		t.Fatal(err)
	}
	if _, h.Cookie, err = h.Access.SignIn(t.Context(), "eyes@example.com", consoletest.Password, access.Browser{Remote: "192.0.2.9"}); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{
		"/console/apps": "Social card", "/console/apps/social-card": "need the role member", "/console/apps/social-card/runs/" + mine: "Steps",
		"/console/apps/drafted/edit": "not change them", "/console/apps/social-card/edit": "built in",
	}
	for path, words := range pages {
		res := h.Get(path, consoletest.Browser)
		consoletest.WantStatus(t, res, 200)
		page := consoletest.Body(t, res)
		consoletest.WantText(t, page, words)
		if forms := strings.Count(page, "<form"); forms > strings.Count(page, "/console/signout")+strings.Count(page, "editor-form")+strings.Count(page, "/console/workspace") {
			t.Errorf("%s offers a viewer %d forms", path, forms)
		}
	}
	for _, path := range []string{
		"new", "check", "files", "social-card/runs", "social-card/price", "social-card/runs/" + mine + "/cancel", "drafted/edit", "drafted/publish",
		"drafted/unpublish", "drafted/delete", "drafted/versions/1/restore",
	} {
		consoletest.WantCode(t, h.Post("/console/apps/"+path, url.Values{"source": {"app: x"}}), 403, "permission_denied")
	}
}

func TestARunIsWatchedAndCanceled(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	w.Publish(t, "slow", consoletest.Slow)
	id := generation.NewID()
	consoletest.WantStatus(t, h.Post("/console/apps/slow/runs", url.Values{"run": {id}, "in.copies": {"2"}, "in.think": {"wait"}}, consoletest.Browser), 303)
	at := "/console/apps/slow/runs/" + id
	page := consoletest.Body(t, h.Get(at+"/live", consoletest.Browser))
	consoletest.WantText(t, page, `hx-get="`+at+`/live"`, `hx-trigger="every 1s"`, "/cancel", "step-think", "step-draw")
	if strings.Contains(page, "<html") {
		t.Error("what is renewed is a whole page")
	}
	consoletest.WantStatus(t, h.Post(at+"/cancel", nil, consoletest.Browser), 303)
	if task := w.End(t, id); task.State != "canceled" || task.Nano != 0 {
		t.Errorf("%s, cost %d", task.State, task.Nano)
	}
	page = consoletest.Body(t, h.Get(at, consoletest.Browser))
	consoletest.WantText(t, page, ">canceled</span>", "not done", "Run again")
	if strings.Contains(page, "hx-get=") {
		t.Error("a run that has ended is still watched")
	}
	entries, err := h.Store.Entries(t.Context(), access.Filter{Workspace: "default", Action: "generation.cancel", Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Target != id {
		t.Errorf("audit %+v, %v", entries, err)
	}
}

func TestAFailureIsToldAtItsStep(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	w.Publish(t, "slow", consoletest.Slow)
	id := generation.NewID()
	consoletest.WantStatus(t, h.Post("/console/apps/slow/runs", url.Values{"run": {id}, "in.copies": {"5"}, "in.think": {"at once"}}, consoletest.Browser), 303)
	if task := w.End(t, id); task.State != "failed" {
		t.Fatalf("%s", task.State)
	}
	page := consoletest.Body(t, h.Get("/console/apps/slow/runs/"+id, consoletest.Browser))
	consoletest.WantText(t, page, ">failed</span>", `<p class="problem" role="alert">Step draw: There are 5 items`)
	_, step, _ := strings.Cut(page, `id="step-draw"`)
	step, _, _ = strings.Cut(step, "</li>")
	consoletest.WantText(t, step, `<p class="wrong">There are 5 items, and at most 3 may be`)
}

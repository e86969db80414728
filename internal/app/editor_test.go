package app_test

import (
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/fault"
	"stele/internal/generation"
)

const small = `app: small
# what it makes
name: Small
media_type: image
inputs:
  - {name: idea, type: string, required: true}
steps:
  - id: draw
    generate: {model: test/paint, with: {prompt: "${inputs.idea}"}}
result: {images: "${steps.draw.image}"}
`

var (
	writer = access.Principal{Workspace: "default", User: "usr_1"}
	admin  = access.Principal{Workspace: "default", User: "usr_2", Admin: true}
	other  = access.Principal{Workspace: "other", User: "usr_3", Admin: true}
)

// editor is the desk of a process.
func (h *house) editor() *app.Editor {
	return &app.Editor{Store: h.store, Library: h.Library, Catalog: h.Catalog, Now: time.Now}
}

func wantFault(t *testing.T, err error, code fault.Code, words string) {
	t.Helper()
	if e := fault.From(err); err == nil || e.Code != code || !strings.Contains(e.Message, words) {
		t.Errorf("%v, want %s with %q", err, code, words)
	}
}

// made begins an app and publishes it.
func made(t *testing.T, e *app.Editor, who access.Principal, id, source string, shared bool) app.Draft {
	t.Helper()
	if _, err := e.Create(t.Context(), who, id, source); err != nil {
		t.Fatal(err)
	}
	d, err := e.Draft(t.Context(), who, id)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = e.Publish(t.Context(), who, id, d.Source, d.Revision, shared); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestARunKeepsTheVersionItBeganWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hold := make(chan struct{})
	w.hold = func(string) bool {
		select {
		case <-hold:
			return false
		default:
			return true
		}
	}
	h := open(t, w)
	e := h.editor()
	d := made(t, e, writer, "mine", small, false)
	if !strings.HasPrefix(d.Source, "app: mine\nversion: 1\n# what") || d.Offered != 1 {
		t.Fatalf("published %+v", d)
	}
	first := h.run("mine", `{"idea":"one"}`)
	next := strings.Replace(d.Source, `"${inputs.idea}"`, `"new ${inputs.idea}"`, 1)
	if d, err := e.Publish(t.Context(), writer, "mine", next, d.Revision, false); err != nil || d.Latest != 2 || !strings.Contains(d.Source, "version: 2") {
		t.Fatal(d, err)
	}
	second := h.run("mine", `{"idea":"two"}`)
	close(hold)
	for _, task := range []*generation.Task{h.end(first.ID), h.end(second.ID)} {
		line, err := h.Timeline(t.Context(), task)
		if err != nil || len(line.Steps) != 1 || line.Steps[0].State != "success" || line.Steps[0].Began.IsZero() || line.Steps[0].Ended.Before(line.Steps[0].Began) {
			t.Errorf("%+v, %v", line, err)
		}
		if want := map[string]int{first.ID: 1, second.ID: 2}[task.ID]; line.Recipe.Version != want {
			t.Errorf("version %d, want %d", line.Recipe.Version, want)
		}
	}
	if w.count("one") != 1 || w.count("new two") != 1 {
		t.Errorf("made %v", w.made)
	}
}

func TestADraftIsItsWorkspaces(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	made(t, e, writer, "mine", small, false)
	_, err := e.Draft(t.Context(), other, "mine")
	wantFault(t, err, fault.AppNotFound, "no app")
	_, err = e.Save(t.Context(), other, "mine", small, 0)
	wantFault(t, err, fault.AppNotFound, "no app")
	_, err = e.Version(t.Context(), other, "mine", 1)
	wantFault(t, err, fault.NotFound, "no such version")
	if _, err := h.Open(other, "mine"); err == nil {
		t.Error("another workspace sees it")
	}
	if r, err := h.Open(writer, "mine"); err != nil || r.Origin != app.FromConsole || r.Version != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	// The same id in another workspace is another app, and each has its own.
	made(t, e, other, "mine", strings.Replace(small, "name: Small", "name: Theirs", 1), false)
	if r, err := h.Open(writer, "mine"); err != nil || r.Name != "Small" {
		t.Errorf("%s, %v", r.Name, err)
	}
	if r, err := h.Open(other, "mine"); err != nil || r.Name != "Theirs" {
		t.Errorf("%s, %v", r.Name, err)
	}
}

func TestOnlyAdministratorsShareApps(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	d := made(t, e, writer, "mine", small, false)
	_, err := e.Publish(t.Context(), writer, "mine", d.Source, 0, true)
	wantFault(t, err, fault.PermissionDenied, "administrator")
	if d, err = e.Publish(t.Context(), admin, "mine", d.Source, 0, true); err != nil || !d.Shared {
		t.Fatal(d, err)
	}
	if _, err := h.Open(other, "mine"); err != nil {
		t.Errorf("it is not shared: %v", err)
	}
	if list, _ := h.Page(other, 1, 10); len(list) != 1 {
		t.Errorf("%d apps", len(list))
	}
	for _, err := range []error{
		second(e.Publish(t.Context(), writer, "mine", d.Source, 0, false)),
		second(e.Unpublish(t.Context(), writer, "mine")),
	} {
		wantFault(t, err, fault.PermissionDenied, "administrator")
	}
	// A workspace's own app wins over a shared one, and two cannot share an id.
	if _, err := e.Create(t.Context(), other, "mine", small); err == nil {
		t.Error("an id that is taken was given again")
	}
	if _, err := e.Unpublish(t.Context(), admin, "mine"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Open(other, "mine"); err == nil {
		t.Error("it is still there")
	}
}

func second[A, B any](_ A, b B) B { return b }

func TestFilesWinOverTheConsole(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	d := made(t, e, writer, "small", small, false)
	file, err := app.Read("small.yaml", []byte(strings.Replace(small, "name: Small", "name: File", 1)))
	if err != nil {
		t.Fatal(err)
	}
	file.Origin = app.FromFile
	if err := h.Library.Replace([]app.Recipe{file}); err != nil {
		t.Fatal(err)
	}
	if r, err := h.Open(writer, "small"); err != nil || r.Name != "File" {
		t.Errorf("%s, %v", r.Name, err)
	}
	if list, _ := h.Page(writer, 1, 10); len(list) != 1 || list[0].Name != "File" {
		t.Errorf("%d apps", len(list))
	}
	_, err = e.Publish(t.Context(), writer, "small", d.Source, 0, false)
	wantFault(t, err, fault.InvalidParameter, "files win")
	_, err = e.Create(t.Context(), other, "small", small)
	wantFault(t, err, fault.InvalidParameter, "already")
}

func TestWhatIsWrongIsNotPublished(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	if _, err := e.Create(t.Context(), writer, "mine", small); err != nil {
		t.Fatal(err)
	}
	for broken, words := range map[string]string{
		strings.Replace(small, "test/paint", "test/none", 1):                                  "not offered",
		strings.Replace(small, "inputs.idea", "inputs.ideas", 1):                              "ideas",
		"app: small\nsteps: [":                                                                "",
		strings.Replace(small, "app: small", "app: another", 1):                               "must stay",
		strings.Replace(small, "generate: {model: test/paint, with", "chat: {model: x, w", 1): "",
	} {
		source := strings.Replace(broken, "app: small", "app: mine", 1)
		_, problems, err := e.Check(t.Context(), writer, "mine", source)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) == 0 || problems[0].Line == 0 || !strings.Contains(problems.Error(), words) {
			t.Errorf("%q gives %v", words, problems)
		}
		if _, err := e.Save(t.Context(), writer, "mine", source, 0); err != nil {
			t.Errorf("a draft may be wrong: %v", err)
		}
		_, err = e.Publish(t.Context(), writer, "mine", source, 0, false)
		wantFault(t, err, fault.InvalidParameter, "mistakes")
	}
	for id, words := range map[string]string{"Not An Id": "lower-case", "new": "already", "mine": "already"} {
		_, err := e.Create(t.Context(), writer, id, small)
		wantFault(t, err, fault.InvalidParameter, words)
	}
	_, err := e.Save(t.Context(), writer, "mine", strings.Repeat("#", app.LongestSource+1), 0)
	wantFault(t, err, fault.InvalidParameter, "KB")
}

func TestNobodyWritesOverSomebodyElse(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	d := made(t, e, writer, "mine", small, false)
	if _, err := e.Save(t.Context(), admin, "mine", d.Source+"# theirs\n", d.Revision); err != nil {
		t.Fatal(err)
	}
	_, err := e.Save(t.Context(), writer, "mine", d.Source+"# mine\n", d.Revision)
	wantFault(t, err, fault.IdempotencyConflict, "Somebody saved")
	if now, err := e.Draft(t.Context(), writer, "mine"); err != nil || !strings.HasSuffix(now.Source, "# theirs\n") || now.By != "usr_2" {
		t.Errorf("%+v, %v", now, err)
	}
	if d, err = e.Restore(t.Context(), writer, "mine", 1); err != nil || strings.Contains(d.Source, "theirs") {
		t.Errorf("%+v, %v", d, err)
	}
	wantFault(t, e.Delete(t.Context(), writer, "mine"), fault.InvalidParameter, "unpublish")
	if _, err := e.Unpublish(t.Context(), writer, "mine"); err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), writer, "mine"); err != nil {
		t.Fatal(err)
	}
	_, err = e.Draft(t.Context(), writer, "mine")
	wantFault(t, err, fault.AppNotFound, "no app")
}

func TestAnotherProcessSeesWhatIsPublished(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	elsewhere := &app.Editor{Store: h.store, Library: app.NewLibrary(), Catalog: h.Catalog, Now: time.Now}
	made(t, h.editor(), writer, "mine", small, false)
	if _, ok := elsewhere.Library.ByID("default", "mine"); ok {
		t.Fatal("it is there before it was looked for")
	}
	if err := elsewhere.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, ok := elsewhere.Library.ByID("default", "mine"); !ok || r.Version != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := h.editor().Unpublish(t.Context(), writer, "mine"); err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := elsewhere.Library.ByID("default", "mine"); ok {
		t.Error("it is still there")
	}
}

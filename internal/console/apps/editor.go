package apps

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/manifest"
)

// editorPage is where an app is written, or read where it cannot be changed.
type editorPage struct {
	ID, Name string
	Source   string
	Revision int64
	ReadOnly bool
	Why      string // it cannot be changed
	Offered  int
	Latest   int
	Shared   bool
	Admin    bool
	Changed  bool // the draft is not what is offered
	Saved    *page.Moment
	Told     string // what was just done
	Problem  string
	Check    checkList
	Versions []versionRow
	Help     appHelp
	Number   int // the version that is shown, 0 for the draft
	Next     int // the version that publishing makes
}

type versionRow struct {
	Number  int
	At      *page.Moment
	Who     string
	Offered bool
}

// checkList is what is wrong with a text, or what is in it where nothing is.
type checkList struct {
	Problems []checkRow
	Fine     string
}

type checkRow struct {
	Line, Column int
	Message      string
}

func (c *Room) showEditor(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{
		"saved": "Draft saved.", "published": "Published. Everybody who calls it gets this version within a second.",
		"unpublished": "Unpublished. Runs that have begun go on.", "restored": "The old version is the draft now. Publish it to offer it.",
		"created": "Here is your draft. Nobody else can run it until you publish it.",
	}[r.URL.Query().Get("done")]
	return c.editorPage(w, r, v, http.StatusOK, editorPage{Told: told})
}

// editorPage shows a draft, or the file that declares an app.
func (c *Room) editorPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p editorPage) error {
	ctx, who, id := r.Context(), v.Principal(), r.PathValue("app")
	kept := p.Source
	recipe, opened := c.Runner.Open(who, id)
	d, err := c.Editor.Draft(ctx, who, id)
	p.ID, p.Admin, p.Help = id, v.User.Admin, c.appHelp(v)
	declared := opened == nil && recipe.Origin != app.FromConsole
	switch {
	case declared || err != nil && opened == nil:
		p.Source, p.Name, p.ReadOnly, p.Offered = recipe.Source(), recipe.Name, true, recipe.Version
		p.Why = map[app.Origin]string{
			app.FromProgram: "This app is built in.", app.FromFile: "A file of the configuration declares this app, and files win.",
			app.FromConsole: "This app belongs to another workspace, which shares it.",
		}[recipe.Origin]
	case err != nil:
		return refuseNoApp(err)
	default:
		p.Source, p.Revision, p.Offered, p.Latest, p.Shared, p.Saved = d.Source, d.Revision, d.Offered, d.Latest, d.Shared, c.At(d.Updated)
		if err := c.listVersions(r, v, &p); err != nil {
			return err
		}
		if !v.Role.Covers(page.Member) {
			p.ReadOnly, p.Why = true, "You may look at apps here, not change them."
		}
	}
	if p.Next = p.Latest + 1; kept != "" {
		p.Source = kept
	}
	if !p.ReadOnly || p.Name == "" {
		checked, problems, err := c.Editor.Check(ctx, who, id, p.Source)
		if err != nil {
			return err
		}
		p.Name, p.Check = checked.Name, listProblems(&checked, problems)
		p.Name = cmp.Or(p.Name, id)
	}
	return c.Render(w, r, status, "app_editor", page.View{Title: p.Name, Active: "apps", Visitor: &v, Data: p})
}

func (c *Room) listVersions(r *http.Request, v access.Visitor, p *editorPage) error {
	list, err := c.Editor.Versions(r.Context(), v.Principal(), p.ID)
	if err != nil {
		return err
	}
	names := map[string]string{v.User.ID: v.User.Email}
	for _, version := range list {
		if _, known := names[version.By]; !known {
			names[version.By] = c.emailOf(r.Context(), version.By)
		}
		p.Versions = append(p.Versions, versionRow{version.Number, c.At(version.At), names[version.By], version.Number == p.Offered})
	}
	if p.Offered > 0 {
		offered, err := c.Editor.Version(r.Context(), v.Principal(), p.ID, p.Offered)
		if err != nil {
			return err
		}
		p.Changed = offered.Source != p.Source
	}
	return nil
}

// checkApp says what is wrong with a text while it is written.
func (c *Room) checkApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := readParts(w, r); err != nil {
		return err
	}
	recipe, problems, err := c.Editor.Check(r.Context(), v.Principal(), r.PostForm.Get("app"), editorText(r))
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusOK, "app_editor", "problems", page.View{Visitor: &v, Data: listProblems(&recipe, problems)})
}

func listProblems(recipe *app.Recipe, problems manifest.Problems) checkList {
	var list checkList
	for _, p := range problems {
		list.Problems = append(list.Problems, checkRow{p.Line, p.Column, p.Message})
	}
	if len(problems) == 0 {
		list.Fine = "No problems: " + page.Many(int64(len(recipe.Inputs)), "input", "inputs") + ", " + page.Many(int64(len(recipe.Steps)), "step", "steps") + "."
	}
	return list
}

// editorText is the text as it was written: browsers send other ends of lines.
func editorText(r *http.Request) string { return page.Newlines(r.PostForm.Get("source")) }

func (c *Room) saveApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := readParts(w, r); err != nil {
		return err
	}
	seen := page.ReadRevision(r.PostForm.Get("revision"))
	_, err := c.Editor.Save(r.Context(), v.Principal(), r.PathValue("app"), editorText(r), seen)
	return c.backToEditor(w, r, v, err, "saved")
}

func (c *Room) publishApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := readParts(w, r); err != nil {
		return err
	}
	seen := page.ReadRevision(r.PostForm.Get("revision"))
	_, err := c.Editor.Publish(r.Context(), v.Principal(), r.PathValue("app"), editorText(r), seen, r.PostForm.Has("shared"))
	return c.backToEditor(w, r, v, err, "published")
}

func (c *Room) unpublishApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, err := c.Editor.Unpublish(r.Context(), v.Principal(), r.PathValue("app"))
	return c.backToEditor(w, r, v, err, "unpublished")
}

func (c *Room) restoreApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return page.NoPage()
	}
	_, err = c.Editor.Restore(r.Context(), v.Principal(), r.PathValue("app"), number)
	return c.backToEditor(w, r, v, err, "restored")
}

func (c *Room) deleteApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := c.Editor.Delete(r.Context(), v.Principal(), r.PathValue("app")); err != nil {
		return c.backToEditor(w, r, v, err, "")
	}
	return c.Redirect(w, r, "/console/apps")
}

// backToEditor goes back to the editor: with what was done, or with the text that was sent
// and why it was not taken.
func (c *Room) backToEditor(w http.ResponseWriter, r *http.Request, v access.Visitor, err error, done string) error {
	if err == nil {
		return c.Redirect(w, r, "/console/apps/"+url.PathEscape(r.PathValue("app"))+"/edit?done="+done)
	}
	e := fault.From(err)
	switch e.Code {
	case fault.InvalidParameter, fault.IdempotencyConflict:
		return c.editorPage(w, r, v, e.Code.Status(), editorPage{Problem: e.Message, Source: editorText(r)})
	}
	return refuseNoApp(err)
}

func (c *Room) showVersion(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return page.NoPage()
	}
	version, err := c.Editor.Version(r.Context(), v.Principal(), r.PathValue("app"), number)
	if err != nil {
		return err
	}
	p := editorPage{ID: version.App, Name: version.App, Source: version.Source, ReadOnly: true, Number: number}
	d, err := c.Editor.Draft(r.Context(), v.Principal(), version.App)
	if err != nil {
		return refuseNoApp(err)
	}
	p.Offered, p.Latest = d.Offered, d.Latest
	recipe, problems, err := c.Editor.Check(r.Context(), v.Principal(), version.App, version.Source)
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		p.Name = recipe.Name
	}
	return c.Render(w, r, http.StatusOK, "app_editor", page.View{Title: p.Name, Active: "apps", Visitor: &v, Data: p})
}

// newAppPage asks for the id of a new app and what it begins with.
type newAppPage struct {
	ID      string
	From    string // the app it is a copy of, "" for a small example
	Problem string
	Choices []appCard
}

func (c *Room) newApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := newAppPage{From: r.URL.Query().Get("from")}
	if p.From != "" {
		p.ID = c.freeID(r, v, p.From)
	}
	return c.newAppPage(w, r, v, http.StatusOK, p)
}

func (c *Room) newAppPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p newAppPage) error {
	var err error
	if p.Choices, err = c.cards(r.Context(), v); err != nil {
		return err
	}
	return c.Render(w, r, status, "app_new", page.View{Title: "New app", Active: "apps", Visitor: &v, Data: p})
}

func (c *Room) createApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := newAppPage{ID: strings.TrimSpace(r.PostForm.Get("id")), From: r.PostForm.Get("from")}
	source := firstApp
	if p.From != "" {
		var err error
		if source, err = c.sourceOf(r, v, p.From); err != nil {
			return refuseNoApp(err)
		}
	}
	_, err := c.Editor.Create(r.Context(), v.Principal(), p.ID, source)
	if _, sentence, ok := page.FieldProblem(err); ok {
		p.Problem = sentence
		return c.newAppPage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	return c.Done(w, r, err, "/console/apps/"+p.ID+"/edit?done=created")
}

// sourceOf is the text of an app that may be copied: its draft where it has one.
func (c *Room) sourceOf(r *http.Request, v access.Visitor, id string) (string, error) {
	recipe, err := c.Runner.Open(v.Principal(), id)
	if err == nil && recipe.Origin != app.FromConsole {
		return recipe.Source(), nil
	}
	if d, err := c.Editor.Draft(r.Context(), v.Principal(), id); err == nil {
		return d.Source, nil
	}
	return recipe.Source(), err
}

// freeID is an id that nothing has yet.
func (c *Room) freeID(r *http.Request, v access.Visitor, from string) string {
	base := from
	if len(base) > 56 {
		base = base[:56]
	}
	for _, tail := range []string{"-copy", "-copy-2", "-copy-3", "-copy-4", "-copy-5"} {
		id := base + tail
		_, offered := c.Runner.Open(v.Principal(), id)
		_, drafted := c.Editor.Draft(r.Context(), v.Principal(), id)
		if offered != nil && drafted != nil {
			return id
		}
	}
	return ""
}

// firstApp is what an app begins with that is no copy: one that works.
const firstApp = `app: my-app
name: My app
description: Draws a picture of an idea, in your colours.
version: 1
media_type: image

inputs:
  - {name: idea, type: string, required: true, max_length: 200, label: Idea, description: What is drawn.}
  - {name: palette, type: string, default: auto, enum: [auto, ocean, ember, forest, dusk], label: Colours}

steps:
  - id: picture
    generate:
      model: stele/canvas
      mode: text_to_image
      with:
        prompt: ${inputs.idea}
        palette: ${inputs.palette}
        aspect_ratio: "16:9"

result:
  images: ${steps.picture.image}
`

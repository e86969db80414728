package apps

import (
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
)

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
			return noSuchApp(err)
		}
	}
	_, err := c.Editor.Create(r.Context(), v.Principal(), p.ID, source)
	if _, sentence, ok := page.FieldProblem(err); ok {
		p.Problem = sentence
		return c.newAppPage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	return c.Redirect(w, r, "/console/apps/"+p.ID+"/edit?done=created")
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

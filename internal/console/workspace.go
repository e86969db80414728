package console

import (
	"errors"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// places are the workspaces the visitor may enter.
func (c *Console) places(r *http.Request, v access.Visitor) ([]page.Place, error) {
	list, err := c.access.Workspaces(r.Context(), v.Principal())
	if err != nil {
		return nil, err
	}
	places := make([]page.Place, len(list))
	for i, w := range list {
		places[i] = page.Place{ID: w.ID, Label: w.Label(), Current: w.ID == v.Session.Workspace}
	}
	return places, nil
}

func (c *Console) switchWorkspace(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	err := c.access.SwitchWorkspace(r.Context(), v, r.PostForm.Get("workspace"))
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such workspace, or you do not belong to it.")
	}
	if err != nil {
		return err
	}
	return c.Redirect(w, r, "/console/")
}

// nowhere is shown to somebody who is signed in and has no role where they are:
// they were removed, or were never let in.
func (c *Console) nowhere(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	refusal := fault.New(fault.PermissionDenied, "You do not belong to this workspace.")
	if !page.WantsPage(r) || r.Method == http.MethodPost {
		return refusal
	}
	places, err := c.places(r, v)
	if err != nil {
		return err
	}
	page.Note(r, refusal)
	return c.Render(w, r, http.StatusForbidden, "nowhere", page.View{Title: "No workspace", Data: nowherePage{v.User.Email, places}})
}

type nowherePage struct {
	Email  string
	Places []page.Place
}

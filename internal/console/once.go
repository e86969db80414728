package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// onceField has the name that a browser gave to what it sends. Forms that are sent without a script have none.
const onceField = "form_once"

const longestOnce = 64 // bytes of such a name

// takeOnce refuses a form that has come before: its sender went back, or read the page anew that answered
// it, and the browser sent it again. It would grant the same credits, or make another key.
func (c *Console) takeOnce(r *http.Request, v access.Visitor) error {
	name := r.PostForm.Get(onceField)
	if name == "" {
		return nil
	}
	r.PostForm.Del(onceField)
	r.Form.Del(onceField)
	if len(name) > longestOnce {
		return fault.New(fault.InvalidParameter, "%s has at most %d bytes.", onceField, longestOnce)
	}
	first, err := c.access.TakeForm(r.Context(), v, name)
	if err == nil && !first {
		err = fault.New(fault.IdempotencyConflict, "This form was sent before, and nothing was done a second time. Look whether what you wanted is there; if not, fill the form in again.")
	}
	return err
}

// present answers whether a page that was shown a while ago may send its forms: the same person is signed
// in, in the same workspace.
func (c *Console) present(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	shown := r.URL.Query()
	switch {
	case shown.Get("user") != v.User.ID:
		return fault.New(fault.IdempotencyConflict, "You are signed in as %s by now, and this page was shown to another person. Nothing was sent: open the page again.", v.User.Email)
	case shown.Get("workspace") != v.Session.Workspace:
		return fault.New(fault.IdempotencyConflict, "In another tab you have gone to the workspace %s, and this page is about %s. Nothing was sent: go back there, or open the page again.",
			v.Session.Workspace, page.Shorten(shown.Get("workspace"), 100))
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

package account

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

type passwordPage struct {
	Problems map[string]string // field → sentence
	None     bool              // there is no password to change
}

func (c *Room) showPassword(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.passwordPage(w, r, v, http.StatusOK, passwordPage{})
}

func (c *Room) changePassword(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	next := r.PostForm.Get("password")
	if next != r.PostForm.Get("again") {
		p := passwordPage{Problems: map[string]string{"again": "The two passwords differ."}}
		return c.passwordPage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	err := c.Access.ChangePassword(r.Context(), v, r.PostForm.Get("current"), next)
	if field, sentence, ok := page.FieldProblem(err); ok {
		return c.passwordPage(w, r, v, http.StatusUnprocessableEntity, passwordPage{Problems: map[string]string{field: sentence}})
	}
	if err != nil && fault.From(err).Code == fault.RateLimited {
		e := fault.From(err)
		page.Note(r, e)
		page.RetryAfter(w, e)
		p := passwordPage{Problems: map[string]string{"current": e.Message + " Try again " + page.Later(e.RetryAfter) + "."}}
		return c.passwordPage(w, r, v, http.StatusTooManyRequests, p)
	}
	if err != nil {
		return err
	}
	return c.Redirect(w, r, "/console/sessions?done=password")
}

func (c *Room) passwordPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p passwordPage) error {
	p.None = v.User.Password == ""
	return c.Render(w, r, status, "password", page.View{Title: "Change password", Active: "sessions", Visitor: &v, Data: p})
}

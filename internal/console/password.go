package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/fault"
)

type passwordPage struct {
	Problems map[string]string // field → sentence
	None     bool              // there is no password to change
}

func (c *Console) showPassword(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.passwordPage(w, r, v, http.StatusOK, passwordPage{})
}

func (c *Console) changePassword(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	next := r.PostForm.Get("password")
	if next != r.PostForm.Get("again") {
		p := passwordPage{Problems: map[string]string{"again": "The two passwords differ."}}
		return c.passwordPage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	err := c.access.ChangePassword(r.Context(), v, r.PostForm.Get("current"), next)
	if field, sentence, ok := fieldProblem(err); ok {
		return c.passwordPage(w, r, v, http.StatusUnprocessableEntity, passwordPage{Problems: map[string]string{field: sentence}})
	}
	if err != nil && fault.From(err).Code == fault.RateLimited {
		e := fault.From(err)
		note(r, e)
		retryAfter(w, e)
		p := passwordPage{Problems: map[string]string{"current": e.Message + " Try again " + later(e.RetryAfter) + "."}}
		return c.passwordPage(w, r, v, http.StatusTooManyRequests, p)
	}
	if err != nil {
		return err
	}
	c.redirect(w, r, "/console/sessions?done=password")
	return nil
}

func (c *Console) passwordPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p passwordPage) error {
	p.None = v.User.Password == ""
	return c.render(w, r, status, "password", view{Title: "Change password", Active: "sessions", Visitor: &v, Data: p})
}

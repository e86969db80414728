package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

type setupPage struct {
	Token    string
	Closed   bool // the link has been used or was never valid
	HasAdmin bool
	Email    string
	Problems map[string]string // field → sentence
}

func (c *Console) showSetup(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	token := r.URL.Query().Get("token")
	ok, err := c.access.SetupOpen(r.Context(), token)
	if err != nil {
		return err
	}
	if !ok {
		return c.setupClosed(w, r)
	}
	return c.setupPage(w, r, http.StatusOK, setupPage{Token: token})
}

func (c *Console) setUp(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	form := setupPage{Token: r.PostForm.Get("token"), Email: r.PostForm.Get("email")}
	password := r.PostForm.Get("password")
	ok, err := c.access.SetupOpen(r.Context(), form.Token)
	if err != nil {
		return err
	}
	if !ok {
		return c.setupClosed(w, r)
	}
	if password != r.PostForm.Get("again") {
		form.Problems = map[string]string{"again": "The two passwords differ."}
		return c.setupPage(w, r, http.StatusUnprocessableEntity, form)
	}
	v, secret, err := c.access.SetUp(r.Context(), form.Token, form.Email, password, c.browserOf(r))
	if fault.From(err) != nil && fault.From(err).Code == fault.NotFound { // somebody else was faster
		return c.setupClosed(w, r)
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.setupPage(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	c.letIn(w, r, v, secret)
	return c.Redirect(w, r, "/console/")
}

func (c *Console) setupPage(w http.ResponseWriter, r *http.Request, status int, p setupPage) error {
	return c.Render(w, r, status, "setup", page.View{Title: "Set up Stele", Data: p})
}

func (c *Console) setupClosed(w http.ResponseWriter, r *http.Request) error {
	has, err := c.access.HasAdmin(r.Context())
	if err != nil {
		return err
	}
	if !page.WantsPage(r) {
		return fault.New(fault.NotFound, "This set-up link has been used or was never valid.")
	}
	return c.Render(w, r, http.StatusNotFound, "setup",
		page.View{Title: "This set-up link does not work", Data: setupPage{Closed: true, HasAdmin: has}})
}

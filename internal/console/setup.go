package console

import (
	"net/http"

	"stele/internal/access"
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
	if field, sentence, ok := fieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.setupPage(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	c.letIn(w, r, v, secret)
	c.redirect(w, r, "/console/")
	return nil
}

func (c *Console) setupPage(w http.ResponseWriter, r *http.Request, status int, p setupPage) error {
	return c.render(w, r, status, "setup", view{Title: "Set up Stele", Data: p})
}

func (c *Console) setupClosed(w http.ResponseWriter, r *http.Request) error {
	has, err := c.access.HasAdmin(r.Context())
	if err != nil {
		return err
	}
	if !wantsPage(r) {
		return fault.New(fault.NotFound, "This set-up link has been used or was never valid.")
	}
	return c.render(w, r, http.StatusNotFound, "setup",
		view{Title: "This set-up link does not work", Data: setupPage{Closed: true, HasAdmin: has}})
}

// fieldProblem takes apart an error that belongs beside a field of a form.
func fieldProblem(err error) (field, sentence string, ok bool) {
	e := fault.From(err)
	if e == nil || e.Code != fault.InvalidParameter {
		return "", "", false
	}
	field, ok = e.Details["field"].(string)
	return field, e.Message, ok
}

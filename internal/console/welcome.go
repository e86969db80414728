package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// welcomePage is where the link leads.
type welcomePage struct {
	access.Invitation

	Token    string
	Place    string // what the workspace it lets them into is called
	Here     bool   // they are signed in already, and need no new password
	Closed   bool   // the link does not work, or no more
	Problems map[string]string
}

func (c *Console) showWelcome(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	token := r.URL.Query().Get("token")
	form := welcomePage{Token: token}
	var err error
	if form.Invitation, err = c.access.Invitation(r.Context(), token); err != nil {
		return c.noWelcome(w, r, err)
	}
	return c.welcomePage(w, r, http.StatusOK, form)
}

func (c *Console) welcome(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	form := welcomePage{Token: r.PostForm.Get("token")}
	var err error
	if form.Invitation, err = c.access.Invitation(r.Context(), form.Token); err != nil {
		return c.noWelcome(w, r, err)
	}
	if r.PostForm.Get("join") != "" {
		return c.join(w, r, form.Token)
	}
	password := r.PostForm.Get("password")
	if password != r.PostForm.Get("again") {
		form.Problems = map[string]string{"again": "The two passwords differ."}
		return c.welcomePage(w, r, http.StatusUnprocessableEntity, form)
	}
	v, secret, err := c.access.FollowLink(r.Context(), form.Token, password, c.browserOf(r))
	if c.askSecond(w, r, "/console/", err) {
		return nil
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.welcomePage(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return c.noWelcome(w, r, err)
	}
	return c.startSession(w, r, v, secret, "/console/")
}

// join lets a visitor in who is signed in already: they keep what they have.
func (c *Console) join(w http.ResponseWriter, r *http.Request, token string) error {
	v, err := c.visitor(r)
	if err != nil {
		return err
	}
	if err := c.access.JoinByLink(r.Context(), v, token); err != nil {
		return c.noWelcome(w, r, err)
	}
	return c.Redirect(w, r, "/console/")
}

func (c *Console) welcomePage(w http.ResponseWriter, r *http.Request, status int, p welcomePage) error {
	v, err := c.visitorOrNil(r)
	if err != nil {
		return err
	}
	p.Here = v != nil && v.User.ID == p.User && p.Joinable
	p.Place = access.Workspace{ID: p.Workspace}.Label()
	return c.Render(w, r, status, "welcome", page.View{Title: "Choose a password", Data: p})
}

func (c *Console) noWelcome(w http.ResponseWriter, r *http.Request, err error) error {
	if e := fault.From(err); e.Code != fault.NotFound || !page.WantsPage(r) {
		return err
	}
	return c.Render(w, r, http.StatusNotFound, "welcome", page.View{Title: "This link does not work", Data: welcomePage{Closed: true}})
}

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
		return c.answerSetupClosed(w, r)
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
		return c.answerSetupClosed(w, r)
	}
	if password != r.PostForm.Get("again") {
		form.Problems = map[string]string{"again": "The two passwords differ."}
		return c.setupPage(w, r, http.StatusUnprocessableEntity, form)
	}
	v, secret, err := c.access.SetUp(r.Context(), form.Token, form.Email, password, c.browserOf(r))
	if fault.From(err) != nil && fault.From(err).Code == fault.NotFound { // another visitor was faster
		return c.answerSetupClosed(w, r)
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

func (c *Console) answerSetupClosed(w http.ResponseWriter, r *http.Request) error {
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

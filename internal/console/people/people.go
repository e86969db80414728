package people

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

type peoplePage struct {
	Form    personForm
	Open    bool   // the form is shown unfolded
	Problem string // what went wrong outside the form
	Told    string // what was just done
	Place   string // what the workspace is called
	People  []personRow
	EndKeys bool        // keys end with the people who made them
	Loose   []personRow // accounts that belong to no workspace, for administrators
}

// personForm is the form for a new person, as it was filled in.
type personForm struct {
	Email    string
	Roles    []roleTile
	NoLinks  bool              // people come through the identity provider
	Problems map[string]string // field → sentence
}

// roleTile is a role that can be chosen.
type roleTile struct {
	Name, Label, About string
	Chosen             bool
}

// personRow is a person as the table shows them.
type personRow struct {
	ID, Email string
	You       bool
	Role      string // of the workspace, or administrator
	SignOn    bool   // comes through the identity provider
	Factors   int    // second factors they have
	Waiting   *page.Moment
	Late      bool // the link has run out
	Unproven  bool // they need a link: the one before was ended by a change
	Seen      *page.Moment
	Joined    *page.Moment
	Sessions  int
	Roles     []roleTile // none: the visitor may not change this person
	Reset     bool       // the visitor may make a password link
}

func (c *Room) showPeople(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{
		"role":    "The role was changed. It counts from their next click.",
		"removed": "They no longer belong to this workspace.",
		"deleted": "The account was deleted.",
		"ended":   "They were signed out.",
		"added":   "They belong to this workspace now and sign in as before.",
		"factors": "Their second factors were taken away, and they were signed out.",
	}[r.URL.Query().Get("done")]
	return c.peoplePage(w, r, v, http.StatusOK, peoplePage{Form: newPersonForm(v), Told: told})
}

func (c *Room) addPerson(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := newPersonForm(v)
	form.Email = r.PostForm.Get("email")
	choose(form.Roles, r.PostForm.Get("role"))
	p, secret, err := c.Access.AddPerson(r.Context(), v.Principal(), access.NewPerson{
		Email: form.Email, Role: access.Role(r.PostForm.Get("role")),
	})
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.peoplePage(w, r, v, http.StatusUnprocessableEntity, peoplePage{Form: form, Open: true})
	}
	if err != nil {
		return err
	}
	if secret == "" { // the person has a password already
		return c.Redirect(w, r, "/console/people?done=added")
	}
	return c.linkPage(w, r, v, linkPage{Email: p.Email, New: true}, p, secret)
}

func (c *Room) setRole(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, err := c.Access.SetRole(r.Context(), v.Principal(), r.PathValue("id"), access.Role(r.PostForm.Get("role")))
	return c.answerChange(w, r, v, "role", err)
}

func (c *Room) resetPerson(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p, secret, err := c.Access.ResetLink(r.Context(), v.Principal(), r.PathValue("id"))
	if err != nil {
		return c.answerChange(w, r, v, "", err)
	}
	return c.linkPage(w, r, v, linkPage{Email: p.Email, New: !p.Ready()}, p, secret)
}

// changePerson makes the handler of a change of the person that the address names.
func changePerson[T any](c *Room, done string, change func(context.Context, access.Principal, string) (T, error)) page.Handler {
	return func(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
		_, err := change(r.Context(), v.Principal(), r.PathValue("id"))
		return c.answerChange(w, r, v, done, err)
	}
}

// answerChange answers a change: with the list again, and why not where it was refused.
func (c *Room) answerChange(w http.ResponseWriter, r *http.Request, v access.Visitor, done string, err error) error {
	if _, sentence, ok := page.FieldProblem(err); ok {
		return c.peoplePage(w, r, v, http.StatusUnprocessableEntity, peoplePage{Form: newPersonForm(v), Problem: sentence})
	}
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such person in this workspace.")
	}
	return c.Done(w, r, err, "/console/people?done="+done)
}

func (c *Room) peoplePage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p peoplePage) error {
	people, err := c.Access.People(r.Context(), v.Principal())
	if err != nil {
		return err
	}
	policy := v.Principal().Scope.Policy
	p.EndKeys = policy != nil && policy.EndWithCreator
	for _, one := range people {
		p.People = append(p.People, c.person(one, v))
	}
	if v.User.Admin {
		loose, err := c.Access.Loose(r.Context(), v.Principal())
		if err != nil {
			return err
		}
		for _, one := range loose {
			p.Loose = append(p.Loose, c.person(one, v))
		}
	}
	p.Form.NoLinks = c.Access.SignInRules().SSOOnly
	return c.Render(w, r, status, "people", page.View{Title: "People", Active: "people", Visitor: &v, Data: p})
}

func (c *Room) person(p access.Person, v access.Visitor) personRow {
	row := personRow{
		ID: p.ID, Email: p.Email, You: p.ID == v.User.ID, Role: string(p.Role), SignOn: p.Subject != "",
		Seen: c.At(p.SeenAt), Joined: c.At(p.CreatedAt), Sessions: p.Sessions,
	}
	if p.Admin {
		row.Role = string(access.Administrator)
	}
	row.Factors = p.Factors
	if !p.Ready() && p.Link.Hash != "" {
		row.Waiting, row.Late = c.At(p.Link.Until), !c.Now().Before(p.Link.Until)
	}
	row.Unproven = !p.Ready() && p.Link.Hash == "" && (p.Role != "" || p.Admin)
	if v.User.Admin || !p.Admin {
		row.Roles = roleTiles(v)
		choose(row.Roles, row.Role)
		row.Reset = v.User.Admin || p.Elsewhere == 0
	}
	return row
}

func newPersonForm(v access.Visitor) personForm {
	f := personForm{Roles: roleTiles(v)}
	choose(f.Roles, string(access.Member))
	return f
}

// roleTiles are the roles that the visitor may give.
func roleTiles(v access.Visitor) []roleTile {
	tiles := []roleTile{
		{Name: string(access.Viewer), Label: "Viewer", About: "Sees everything but secrets, changes nothing"},
		{Name: string(access.Member), Label: "Member", About: "Makes and runs things, makes keys"},
		{Name: string(access.Owner), Label: "Owner", About: "Manages people, providers and models too"},
	}
	if v.User.Admin {
		tiles = append(tiles, roleTile{Name: string(access.Administrator), Label: "Administrator", About: "Owns every workspace"})
	}
	return tiles
}

func choose(tiles []roleTile, name string) {
	known := slices.ContainsFunc(tiles, func(t roleTile) bool { return t.Name == name })
	for i := range tiles {
		tiles[i].Chosen = known && tiles[i].Name == name
	}
}

// linkPage shows the link by which a person chooses a password, once: it is the
// answer to the form itself, as with the secret of a key.
type linkPage struct {
	Email string
	New   bool // they have no password yet
	Link  string
	Until *page.Moment
}

func (c *Room) linkPage(w http.ResponseWriter, r *http.Request, v access.Visitor, p linkPage, of access.Person, secret string) error {
	p.Link = c.OwnRoot() + "/console/welcome?token=" + url.QueryEscape(secret)
	p.Until = c.At(of.Link.Until)
	return c.Render(w, r, http.StatusOK, "person_link", page.View{Title: "A link for " + p.Email, Active: "people", Visitor: &v, Data: p})
}

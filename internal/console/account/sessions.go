package account

import (
	"errors"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/wire"
)

type sessionsPage struct {
	Told     string
	Sessions []sessionRow
	Others   int
	Password bool   // the visitor has one that can be changed
	Idle     string // how long an unused browser stays signed in
	Life     string // and any browser
}

// sessionRow is a browser that is signed in.
type sessionRow struct {
	ID      string
	Browser string
	Agent   string // all that the browser said of itself
	Remote  string
	Here    bool // it is the one that asks
	Created *page.Moment
	Seen    *page.Moment
}

func (c *Room) showSessions(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{
		"ended":    "That browser was signed out.",
		"others":   "All other browsers were signed out.",
		"password": "Your password was changed. All other browsers were signed out.",
	}[r.URL.Query().Get("done")]
	sessions, err := c.Access.Sessions(r.Context(), v)
	if err != nil {
		return err
	}
	rules := c.Access.SignInRules()
	p := sessionsPage{Told: told, Password: v.User.Password != "", Idle: page.Span(rules.Idle), Life: page.Span(rules.Life)}
	for _, s := range sessions {
		row := sessionRow{
			ID: s.ID, Browser: page.BrowserName(s.Agent), Agent: s.Agent, Remote: s.Remote, Here: s.ID == v.Session.ID,
			Created: c.At(s.CreatedAt), Seen: c.At(s.SeenAt),
		}
		if row.Here {
			row.Seen = c.At(c.Now())
			p.Sessions = append([]sessionRow{row}, p.Sessions...)
			continue
		}
		p.Others++
		p.Sessions = append(p.Sessions, row)
	}
	return c.Render(w, r, http.StatusOK, "sessions", page.View{Title: "Sessions", Active: "sessions", Visitor: &v, Data: p})
}

func (c *Room) endSession(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if id == v.Session.ID {
		return c.SignOut(w, r, v)
	}
	err := c.Access.EndSession(r.Context(), v, id)
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such session. It may have ended already.")
	}
	return c.Done(w, r, err, "/console/sessions?done=ended")
}

func (c *Room) endOthers(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, err := c.Access.EndOtherSessions(r.Context(), v)
	return c.Done(w, r, err, "/console/sessions?done=others")
}

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
		wire.SetRetryAfter(w.Header(), e.RetryAfter)
		p := passwordPage{Problems: map[string]string{"current": e.Message + " Try again " + page.Later(e.RetryAfter) + "."}}
		return c.passwordPage(w, r, v, http.StatusTooManyRequests, p)
	}
	return c.Done(w, r, err, "/console/sessions?done=password")
}

func (c *Room) passwordPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p passwordPage) error {
	p.None = v.User.Password == ""
	return c.Render(w, r, status, "password", page.View{Title: "Change password", Active: "sessions", Visitor: &v, Data: p})
}

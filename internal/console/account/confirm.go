package account

import (
	"net/http"
	"net/url"
	"strings"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// KeptField is the field of what was filled in, sealed.
const KeptField = "confirm_kept"

const mostKept = 40 << 10 // bytes of a form; larger ones are filled in again

// AskAgain answers with the way to prove again who the visitor is.
func (c *Room) AskAgain(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	refusal := fault.New(fault.PermissionDenied, "Prove first that it is you, at %s/console/confirm.", c.Base())
	current, err := url.Parse(r.Header.Get("HX-Current-URL"))
	if r.Header.Get("HX-Request") == "true" && err == nil {
		w.Header().Set("HX-Redirect", c.Base()+"/console/confirm?next="+url.QueryEscape(strings.TrimPrefix(current.RequestURI(), c.Base())))
		return refusal
	}
	if !page.WantsPage(r) {
		return refusal
	}
	if r.Method != http.MethodPost {
		return c.Redirect(w, r, "/console/confirm?next="+url.QueryEscape(r.URL.RequestURI()))
	}
	page.Note(r, refusal)
	p := confirmPage{Then: r.URL.Path, Next: "/console/"}
	if text := r.PostForm.Encode(); r.PostForm != nil && len(text) <= mostKept {
		if p.Kept, err = c.Access.Keep(v, r.URL.Path, []byte(text)); err != nil {
			return err
		}
	}
	return c.confirmPage(w, r, v, http.StatusForbidden, p)
}

// confirmPage asks a visitor to prove again who they are.
type confirmPage struct {
	Next    string // where they go on, or
	Then    string // what is sent again
	Kept    string // with what they had filled in
	Problem string

	Password, App, Key bool
	SignOn             string // what the identity provider is called
}

func (c *Room) showConfirm(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.confirmPage(w, r, v, http.StatusOK, confirmPage{Next: page.NextPage(r.URL.Query().Get("next"))})
}

func (c *Room) confirmPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p confirmPage) error {
	has, err := c.Access.Security(r.Context(), v)
	if err != nil {
		return err
	}
	_, here := c.Party()
	p.Password, p.App, p.Key = has.Password, has.App != nil, here && len(has.Passkeys) > 0
	if c.SignOn != "" && v.User.Subject != "" && v.Session.Via == "" {
		p.SignOn = c.SignOn
	}
	return c.Render(w, r, status, "confirm", page.View{Title: "Confirm that it is you", Visitor: &v, Data: p})
}

// confirm takes the proof and goes on: with a page, or with a form that is sent
// again (307 has the browser send the same body to the other address).
func (c *Room) confirm(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := confirmPage{Next: page.NextPage(r.PostForm.Get("next")), Then: r.PostForm.Get("then"), Kept: r.PostForm.Get(KeptField)}
	if p.Kept != "" {
		if _, err := c.Access.Unkeep(v, p.Then, p.Kept); err != nil {
			return err
		}
	}
	if err := c.prove(r, v); err != nil {
		if status, problem, ok := page.TryAgain(w, r, err); ok {
			p.Problem = problem
			return c.confirmPage(w, r, v, status, p)
		}
		return err
	}
	if p.Kept != "" {
		http.Redirect(w, r, c.Base()+p.Then, http.StatusTemporaryRedirect) //nolint:gosec // sealed by us with the form
		return nil
	}
	return c.Redirect(w, r, p.Next)
}

func (c *Room) prove(r *http.Request, v access.Visitor) error {
	if answer := r.PostForm.Get("answer"); answer != "" {
		at, ok := c.Party()
		if !ok {
			return page.NoPasskeys()
		}
		return c.Access.ConfirmByPasskey(r.Context(), v, at, r.PostForm.Get("ticket"), []byte(answer))
	}
	return c.Access.Confirm(r.Context(), v, r.PostForm.Get("current"), r.PostForm.Get("code"))
}

// askOwnPasskey asks the visitor to prove again who they are.
func (c *Room) askOwnPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.AskPasskey(w, func(at passkey.Party) (access.Question, error) { return c.Access.AskOwnPasskey(r.Context(), v, at) })
}

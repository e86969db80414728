package account

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html/template"
	"image/png"
	"net/http"

	"github.com/pquerna/otp"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/wire"
)

// securityPage is what a person has set up to sign in.
type securityPage struct {
	Told     string
	Needed   bool // nothing else opens before there is a second factor
	Problem  string
	Has      access.Security
	Keys     []factorRow
	App      *factorRow
	CanKey   bool // passkeys work at this address
	Rescued  bool // they came by a link for emergencies: nothing can be set up
	Sessions int
	Devices  []page.DeviceRow
}

// factorRow is a second factor as the page shows it.
type factorRow struct {
	ID, Name string
	Since    *page.Moment
	Used     *page.Moment
}

// authenticatorPage shows the secret for an authenticator app.
type authenticatorPage struct {
	access.AppSecret

	Picture template.URL // of a QR code, in the page itself
	Problem string
}

// codesPage shows recovery codes, once.
type codesPage struct{ Codes []string }

func (c *Room) showSecurity(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{
		"app":     "Your authenticator app was set up.",
		"passkey": "The passkey was added.",
		"removed": "It was removed.",
		"heard":   "Noted.",
	}[r.URL.Query().Get("done")]
	return c.securityPage(w, r, v, http.StatusOK, securityPage{Told: told})
}

func (c *Room) securityPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p securityPage) error {
	var err error
	if p.Has, err = c.Access.Security(r.Context(), v); err != nil {
		return err
	}
	sessions, err := c.Access.Sessions(r.Context(), v)
	if err != nil {
		return err
	}
	devices, err := c.Access.Devices(r.Context(), v)
	if err != nil {
		return err
	}
	for _, f := range p.Has.Passkeys {
		p.Keys = append(p.Keys, c.factorRow(f))
	}
	if p.Has.App != nil {
		row := c.factorRow(*p.Has.App)
		p.App = &row
	}
	_, p.CanKey = c.Party()
	p.Sessions, p.Devices = len(sessions), c.DeviceRows(devices, v)
	p.Needed = c.Access.NeedsFactor(v)
	p.Rescued = v.Session.Method == access.MethodRescue
	return c.Render(w, r, status, "security", page.View{Title: "Security", Active: "security", Visitor: &v, Data: p})
}

func (c *Room) factorRow(f access.Factor) factorRow {
	return factorRow{ID: f.ID, Name: f.Name, Since: c.At(f.CreatedAt), Used: c.At(f.UsedAt)}
}

func (c *Room) newAuthenticator(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	secret, err := c.Access.NewApp(v)
	if err != nil {
		return err
	}
	return c.authenticatorPage(w, r, v, http.StatusOK, authenticatorPage{AppSecret: secret})
}

func (c *Room) authenticatorPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p authenticatorPage) error {
	var err error
	if p.Picture, err = drawCode(p.URL); err != nil {
		return err
	}
	return c.Render(w, r, status, "authenticator", page.View{Title: "Authenticator app", Active: "security", Visitor: &v, Data: p})
}

// drawCode draws a QR code as an address that holds the picture itself.
func drawCode(text string) (template.URL, error) {
	key, err := otp.NewKeyFromURL(text)
	if err != nil {
		return "", err
	}
	picture, err := key.Image(240, 240)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return "", err
	}
	return template.URL(wire.NewDataURL("image/png", base64.StdEncoding.EncodeToString(b.Bytes()))), nil //nolint:gosec // our own picture
}

func (c *Room) addApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	codes, again, err := c.Access.AddApp(r.Context(), v, r.PostForm.Get("ticket"), r.PostForm.Get("code"))
	if again.Ticket != "" {
		if status, problem, ok := page.TryAgain(w, r, err); ok {
			return c.authenticatorPage(w, r, v, status, authenticatorPage{AppSecret: again, Problem: problem})
		}
	}
	return c.answerFactorAdded(w, r, v, "app", codes, err)
}

func (c *Room) addPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	at, ok := c.Party()
	if !ok {
		return page.NoPasskeys()
	}
	codes, err := c.Access.AddPasskey(r.Context(), v, at, r.PostForm.Get("ticket"), r.PostForm.Get("name"), []byte(r.PostForm.Get("answer")))
	return c.answerFactorAdded(w, r, v, "passkey", codes, err)
}

func (c *Room) answerFactorAdded(w http.ResponseWriter, r *http.Request, v access.Visitor, done string, codes []string, err error) error {
	if status, problem, ok := page.TryAgain(w, r, err); ok {
		return c.securityPage(w, r, v, status, securityPage{Problem: problem})
	}
	if err != nil {
		return err
	}
	if len(codes) > 0 {
		v.Factors++
		return c.codesPage(w, r, v, codes)
	}
	return c.Redirect(w, r, "/console/security?done="+done)
}

func (c *Room) newCodes(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	codes, err := c.Access.NewRecoveryCodes(r.Context(), v)
	if status, problem, ok := page.TryAgain(w, r, err); ok {
		return c.securityPage(w, r, v, status, securityPage{Problem: problem})
	}
	if err != nil {
		return err
	}
	return c.codesPage(w, r, v, codes)
}

func (c *Room) codesPage(w http.ResponseWriter, r *http.Request, v access.Visitor, codes []string) error {
	return c.Render(w, r, http.StatusOK, "recovery", page.View{Title: "Recovery codes", Active: "security", Visitor: &v, Data: codesPage{codes}})
}

func (c *Room) removeFactor(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	err := c.Access.RemoveFactor(r.Context(), v, r.PathValue("id"))
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such passkey or app. It may have been removed already.")
	}
	return c.Done(w, r, err, "/console/security?done=removed")
}

// dismissNews takes the notice of new sign-ins away.
func (c *Room) dismissNews(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Access.MarkHeard(r.Context(), v), page.NextPage(r.PostForm.Get("next")))
}

// askNewPasskey asks the visitor's browser to make one.
func (c *Room) askNewPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.AskPasskey(w, func(at passkey.Party) (access.Question, error) { return c.Access.AskNewPasskey(r.Context(), v, at) })
}

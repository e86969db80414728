package console

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html/template"
	"image/png"
	"net/http"

	"github.com/pquerna/otp"

	"stele/internal/access"
	"stele/internal/fault"
)

// securityPage is what somebody has set up to sign in.
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
	Devices  []deviceRow
}

// factorRow is a second factor as the page shows it.
type factorRow struct {
	ID, Name string
	Since    *moment
	Used     *moment
}

// authenticatorPage shows the secret for an authenticator app.
type authenticatorPage struct {
	access.AppSecret

	Picture template.URL // of a QR code, in the page itself
	Problem string
}

// codesPage shows recovery codes, once.
type codesPage struct{ Codes []string }

func (c *Console) showSecurity(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{
		"app":     "Your authenticator app was set up.",
		"passkey": "The passkey was added.",
		"removed": "It was removed.",
		"heard":   "Noted.",
	}[r.URL.Query().Get("done")]
	return c.securityPage(w, r, v, http.StatusOK, securityPage{Told: told})
}

func (c *Console) securityPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p securityPage) error {
	var err error
	if p.Has, err = c.access.Security(r.Context(), v); err != nil {
		return err
	}
	sessions, err := c.access.Sessions(r.Context(), v)
	if err != nil {
		return err
	}
	devices, err := c.access.Devices(r.Context(), v)
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
	_, p.CanKey = c.party()
	p.Sessions, p.Devices = len(sessions), c.deviceRows(devices, v)
	p.Needed = c.access.NeedsFactor(v)
	p.Rescued = v.Session.Method == access.MethodRescue
	return c.render(w, r, status, "security", view{Title: "Security", Active: "security", Visitor: &v, Data: p})
}

func (c *Console) factorRow(f access.Factor) factorRow {
	return factorRow{ID: f.ID, Name: f.Name, Since: c.at(f.CreatedAt), Used: c.at(f.UsedAt)}
}

func (c *Console) newAuthenticator(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	secret, err := c.access.NewApp(v)
	if err != nil {
		return err
	}
	return c.authenticatorPage(w, r, v, http.StatusOK, authenticatorPage{AppSecret: secret})
}

func (c *Console) authenticatorPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p authenticatorPage) error {
	var err error
	if p.Picture, err = drawCode(p.URL); err != nil {
		return err
	}
	return c.render(w, r, status, "authenticator", view{Title: "Authenticator app", Active: "security", Visitor: &v, Data: p})
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
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil //nolint:gosec // our own picture
}

func (c *Console) addApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	codes, again, err := c.access.AddApp(r.Context(), v, r.PostForm.Get("ticket"), r.PostForm.Get("code"))
	if again.Ticket != "" {
		if status, problem, ok := tryAgain(w, r, err); ok {
			return c.authenticatorPage(w, r, v, status, authenticatorPage{AppSecret: again, Problem: problem})
		}
	}
	return c.factorAdded(w, r, v, "app", codes, err)
}

func (c *Console) addPasskey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	at, ok := c.party()
	if !ok {
		return errNoPasskeys()
	}
	codes, err := c.access.AddPasskey(r.Context(), v, at, r.PostForm.Get("ticket"), r.PostForm.Get("name"), []byte(r.PostForm.Get("answer")))
	return c.factorAdded(w, r, v, "passkey", codes, err)
}

func (c *Console) factorAdded(w http.ResponseWriter, r *http.Request, v access.Visitor, done string, codes []string, err error) error {
	if status, problem, ok := tryAgain(w, r, err); ok {
		return c.securityPage(w, r, v, status, securityPage{Problem: problem})
	}
	if err != nil {
		return err
	}
	if len(codes) > 0 {
		v.Factors++
		return c.codesPage(w, r, v, codes)
	}
	c.redirect(w, r, "/console/security?done="+done)
	return nil
}

func (c *Console) newCodes(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	codes, err := c.access.NewRecoveryCodes(r.Context(), v)
	if status, problem, ok := tryAgain(w, r, err); ok {
		return c.securityPage(w, r, v, status, securityPage{Problem: problem})
	}
	if err != nil {
		return err
	}
	return c.codesPage(w, r, v, codes)
}

func (c *Console) codesPage(w http.ResponseWriter, r *http.Request, v access.Visitor, codes []string) error {
	return c.render(w, r, http.StatusOK, "recovery", view{Title: "Recovery codes", Active: "security", Visitor: &v, Data: codesPage{codes}})
}

func (c *Console) removeFactor(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	err := c.access.RemoveFactor(r.Context(), v, r.PathValue("id"))
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such passkey or app. It may have been removed already.")
	}
	if err != nil {
		return err
	}
	c.redirect(w, r, "/console/security?done=removed")
	return nil
}

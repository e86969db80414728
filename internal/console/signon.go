package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/access/oidc"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// SignOn lets people in through an identity provider.
type SignOn struct {
	Name   string // what the button calls it
	Rules  access.SignOnRules
	Issuer *oidc.Issuer
}

const (
	ticketCookie = "stele_signon"
	ticketPath   = "/console/oidc"
)

func (c *Console) beginSignOn(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	next := page.NextPage(r.URL.Query().Get("next"))
	begin := c.signOn.Issuer.Begin
	if r.URL.Query().Get("again") != "" {
		begin = c.signOn.Issuer.BeginAgain
	}
	address, ticket, err := begin(r.Context(), c.signOnReturn(), next)
	if err != nil {
		return c.noSignOn(w, r, next, err)
	}
	c.setTicket(w, r, ticket)
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

func (c *Console) finishSignOn(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	ticket := c.readCookie(r, ticketCookie, c.Base()+ticketPath)
	c.setTicket(w, r, "") // it is good for one answer
	who, next, err := c.signOn.Issuer.Finish(r.Context(), c.signOnReturn(), ticket, r.URL.Query())
	if err != nil {
		return c.noSignOn(w, r, "", err)
	}
	v, secret, err := c.access.SignOn(r.Context(), who, c.signOn.Rules, c.browserOf(r))
	if err != nil {
		return c.noSignOn(w, r, next, err)
	}
	return c.startSession(w, r, v, secret, page.NextPage(next))
}

// noSignOn shows the sign-in page with the reason, and its other ways in.
func (c *Console) noSignOn(w http.ResponseWriter, r *http.Request, next string, err error) error {
	e := fault.From(err)
	if e.Code != fault.PermissionDenied && e.Code != fault.UpstreamError {
		return err
	}
	page.Note(r, e)
	return c.signInPage(w, r, e.Code.Status(), signInPage{Problem: e.Message, Next: page.NextPage(next)})
}

// signOnReturn is where the provider sends people back to. It has to be known there.
func (c *Console) signOnReturn() string { return c.OwnRoot() + "/console/oidc/callback" }

func (c *Console) setTicket(w http.ResponseWriter, r *http.Request, ticket string) {
	c.writeCookie(w, r, ticketCookie, c.Base()+ticketPath, ticket, 600)
}

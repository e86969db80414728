package webhooks

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/webhook"
)

type endpointsPage struct {
	Form       endpointForm
	Open       bool   // the form is shown unfolded
	Told       string // what was just done
	Endpoints  []endpointRow
	Deliveries deliveryList
	Mail       bool // mail is sent to owners
	MailOff    bool // but not to the visitor
}

// endpointRow is an endpoint as the list shows it.
type endpointRow struct {
	ID, Address string
	Mailbox     bool
	Events      []string // in words; none: all
	Enabled     bool
	Everywhere  bool // of the installation
	Creator     string
	Created     *page.Moment
	GivenUp     page.Count
	OldUntil    *page.Moment // the secret before this one signs until then
}

func (c *Room) row(e webhook.Endpoint) endpointRow {
	row := endpointRow{
		ID: e.ID, Address: e.URL, Enabled: e.Enabled, Everywhere: e.Workspace == "", Creator: e.CreatorName, Created: c.At(e.Created), GivenUp: page.Count(e.GivenUp),
	}
	if mailbox, ok := e.Mailbox(); ok {
		row.Address, row.Mailbox = mailbox, true
	}
	if e.OldUntil.After(c.Now()) {
		row.OldUntil = c.At(e.OldUntil)
	}
	if row.Creator == "command-line" {
		row.Creator = "the command line"
	}
	for _, event := range e.Events {
		row.Events = append(row.Events, eventLabel(event))
	}
	return row
}

func (c *Room) showEndpoints(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.endpointsPage(w, r, v, http.StatusOK, endpointsPage{Form: c.newForm(v), Told: doneText(r)})
}

func (c *Room) createEndpoint(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := c.readForm(r.PostForm, v)
	e, secret, err := c.Endpoints.Create(r.Context(), v.Principal(), form.endpoint(v.Session.Workspace))
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.putProblem(field, sentence)
		return c.endpointsPage(w, r, v, http.StatusUnprocessableEntity, endpointsPage{Form: form, Open: true})
	}
	if err != nil {
		return err
	}
	if secret == "" {
		return c.Redirect(w, r, "/console/webhooks/"+e.ID+"?done=made")
	}
	return c.secretPage(w, r, v, secretPage{Endpoint: c.row(e), Secret: secret})
}

func (c *Room) endpointsPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p endpointsPage) error {
	list, err := c.Endpoints.List(r.Context(), v.Principal(), v.Session.Workspace)
	if err == nil && v.User.Admin {
		var more []webhook.Endpoint
		more, err = c.Endpoints.List(r.Context(), v.Principal(), "")
		list = append(list, more...)
	}
	if err != nil {
		return err
	}
	for _, e := range list {
		p.Endpoints = append(p.Endpoints, c.row(e))
	}
	if p.Deliveries, err = c.deliveries(r, v, webhook.Filter{Workspace: v.Session.Workspace}); err != nil {
		return err
	}
	if p.Mail = c.Endpoints.SendsMail(); p.Mail {
		if p.MailOff, err = c.Endpoints.MailOff(r.Context(), v.Principal()); err != nil {
			return err
		}
	}
	return c.Render(w, r, status, "webhooks", page.View{Title: "Webhooks", Active: "webhooks", Visitor: &v, Data: p})
}

func (c *Room) setMail(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	off := r.PostForm.Get("mail") == "off"
	if err := c.Endpoints.SetMailOff(r.Context(), v.Principal(), off); err != nil {
		return err
	}
	if off {
		return c.Redirect(w, r, "/console/webhooks?done=mail-off")
	}
	return c.Redirect(w, r, "/console/webhooks?done=mail-on")
}

// doneText is what was just done, in words.
func doneText(r *http.Request) string {
	return map[string]string{
		"made":     "Made. It is told of what happens from now on.",
		"saved":    "Saved. Messages that are under way follow.",
		"deleted":  "The endpoint is gone. What was under way to it is given up.",
		"replayed": "On their way again, under their old ids.",
		"nothing":  "There was nothing to send again: what is left is on its way already.",
		"mail-off": "You get no mail about limits of this workspace any more.",
		"mail-on":  "You get mail about limits of this workspace.",
	}[r.URL.Query().Get("done")]
}

// secretPage shows a secret, once: it is the answer to the form itself, so it is in no
// address, no cookie and no history.
type secretPage struct {
	Endpoint endpointRow
	Secret   string
	Rotated  bool
}

func (c *Room) secretPage(w http.ResponseWriter, r *http.Request, v access.Visitor, p secretPage) error {
	return c.Render(w, r, http.StatusOK, "endpoint_secret", page.View{Title: "Your signing secret", Active: "webhooks", Visitor: &v, Data: p})
}

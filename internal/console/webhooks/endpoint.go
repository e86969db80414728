package webhooks

import (
	"net/http"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/webhook"
)

type endpointPage struct {
	Endpoint   endpointRow
	Told       string
	Edit       bool // the visitor may change it
	Form       endpointForm
	Deliveries deliveryList
	Graces     []grace
}

// grace is how long an old secret signs beside a new one.
type grace struct {
	Value, Label string
	length       time.Duration
}

var graces = []grace{
	{"1d", "A day", 24 * time.Hour}, {"7d", "A week", 7 * 24 * time.Hour}, {"1h", "An hour", time.Hour}, {"0", "Not at all", 0},
}

func (c *Room) showEndpoint(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.endpointPage(w, r, v, http.StatusOK, endpointPage{Told: doneText(r)})
}

func (c *Room) changeEndpoint(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := c.readForm(r.PostForm, v)
	next := form.endpoint(v.Session.Workspace)
	next.ID = r.PathValue("id")
	_, err := c.Endpoints.Change(r.Context(), v.Principal(), next)
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.putProblem(field, sentence)
		return c.endpointPage(w, r, v, http.StatusUnprocessableEntity, endpointPage{Form: form})
	}
	return c.Done(w, r, err, "/console/webhooks/"+next.ID+"?done=saved")
}

func (c *Room) rotateEndpoint(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	length := graces[0].length
	for _, g := range graces {
		if g.Value == r.PostForm.Get("grace") {
			length = g.length
		}
	}
	e, secret, err := c.Endpoints.Rotate(r.Context(), v.Principal(), r.PathValue("id"), length)
	if err != nil {
		return err
	}
	return c.secretPage(w, r, v, secretPage{Endpoint: c.row(e), Secret: secret, Rotated: true})
}

func (c *Room) deleteEndpoint(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Endpoints.Delete(r.Context(), v.Principal(), r.PathValue("id")), "/console/webhooks?done=deleted")
}

func (c *Room) endpointPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p endpointPage) error {
	e, err := c.Endpoints.Find(r.Context(), v.Principal(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p.Endpoint, p.Graces, p.Edit = c.row(e), graces, v.Principal().Owns(e.Workspace)
	if p.Form.Problems == nil {
		p.Form = c.formOf(&e, v)
	}
	p.Form.Mailbox = p.Endpoint.Mailbox
	if p.Deliveries, err = c.deliveries(r, v, webhook.Filter{Workspace: e.Workspace, Endpoint: e.ID}); err != nil {
		return err
	}
	return c.Render(w, r, status, "endpoint", page.View{Title: p.Endpoint.Address, Active: "webhooks", Visitor: &v, Data: p})
}

package webhooks

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/webhook"
)

const mostDeliveries = 50 // on a page

// deliveryList is messages, with what they are picked by.
type deliveryList struct {
	At       string // the page's own address
	Endpoint string // "": all of the workspace
	Replay   bool   // the visitor may send them again
	State    string
	Event    string
	Any      bool // a filter is set
	States   []page.Option
	Events   []eventField
	Rows     []deliveryRow
	Older    string // the query of the next page; "" for none
	Newest   bool   // this is not the first page
}

// deliveryRow is a message as the list shows it.
type deliveryRow struct {
	ID, Event, Subject string
	Link               string // where the subject is shown; "" for nowhere
	To                 string // the address, where the list is of several
	State, Tone        string
	Ended              bool // it can be sent again
	Tries, Status      int
	Problem, Answer    string
	Created, Next      *page.Moment
	Body               string
}

var states = page.Choices(
	string(webhook.Pending), "On its way", string(webhook.Delivered), "Delivered",
	string(webhook.GivenUp), "Given up", string(webhook.SetAside), "Set aside",
)

var tones = map[webhook.State]string{webhook.Pending: "cool", webhook.Delivered: "good", webhook.GivenUp: "bad", webhook.SetAside: "warn"}

// deliveries are the messages that a page lists.
func (c *Room) deliveries(r *http.Request, v access.Visitor, f webhook.Filter) (deliveryList, error) {
	asked := r.URL.Query()
	f.State, f.Type = webhook.State(page.OneOf(asked.Get("state"), states, "")), pickEvent(asked.Get("event"))
	f.Before, f.Limit = asked.Get("before"), mostDeliveries+1
	list := deliveryList{
		At: "/console/webhooks", Endpoint: f.Endpoint, State: string(f.State), Event: f.Type, Any: f.State != "" || f.Type != "",
		States: states, Events: eventWords, Newest: f.Before != "", Replay: v.Principal().Owns(f.Workspace),
	}
	if f.Endpoint != "" {
		list.At += "/" + f.Endpoint
	}
	found, err := c.Endpoints.Deliveries(r.Context(), v.Principal(), f)
	if err != nil {
		return list, err
	}
	if len(found) > mostDeliveries {
		found = found[:mostDeliveries]
		list.Older = "?" + url.Values{"state": {list.State}, "event": {list.Event}, "before": {found[mostDeliveries-1].ID}}.Encode()
	}
	for _, d := range found {
		list.Rows = append(list.Rows, c.deliveryRow(d, f.Endpoint == ""))
	}
	return list, nil
}

func (c *Room) deliveryRow(d webhook.Delivery, several bool) deliveryRow {
	row := deliveryRow{
		ID: d.ID, Event: d.Type, Subject: d.Subject, Tone: tones[d.State], Ended: d.State != webhook.Pending,
		Tries: d.Tries, Status: d.Status, Problem: d.Problem, Answer: d.Answer, Created: c.At(d.Created), Body: string(d.Body),
	}
	for _, s := range states {
		if s.Value == string(d.State) {
			row.State = s.Label
		}
	}
	if d.State == webhook.Pending && d.Next.After(c.Now()) {
		row.Next = c.At(d.Next)
	}
	if several {
		row.To = strings.TrimPrefix(d.URL, webhook.MailURL(""))
	}
	switch {
	case d.Type == webhook.LimitReached && c.Has("limits"):
		row.Link = "/console/limits/" + url.PathEscape(d.Subject)
	case strings.HasPrefix(d.Type, "generation.") && c.Has("studio"):
		row.Link = "/console/studio/" + url.PathEscape(d.Subject)
	}
	return row
}

func pickEvent(value string) string {
	if slices.Contains(webhook.Events(), value) {
		return value
	}
	return ""
}

// sinces are how far back messages are sent again.
var sinces = map[string]time.Duration{"1h": time.Hour, "1d": 24 * time.Hour, "7d": 7 * 24 * time.Hour}

// replay sends one message again, or many.
func (c *Room) replay(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f := webhook.Filter{
		Workspace: v.Session.Workspace, Endpoint: r.PostForm.Get("endpoint"), ID: r.PostForm.Get("id"),
		State: webhook.State(page.OneOf(r.PostForm.Get("state"), states, "")), Type: pickEvent(r.PostForm.Get("event")),
	}
	back := "/console/webhooks"
	if f.Endpoint != "" {
		e, err := c.Endpoints.Find(r.Context(), v.Principal(), f.Endpoint)
		if err != nil {
			return err
		}
		f.Workspace = e.Workspace
		back += "/" + e.ID
	}
	if length := sinces[r.PostForm.Get("since")]; length > 0 {
		f.Since = c.Now().Add(-length)
	}
	n, err := c.Endpoints.Replay(r.Context(), v.Principal(), f)
	if err != nil {
		return err
	}
	if n == 0 {
		return c.Redirect(w, r, back+"?done=nothing")
	}
	return c.Redirect(w, r, back+"?done=replayed")
}

package webhooks

import (
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/webhook"
)

type endpointForm struct {
	Address    string
	Enabled    bool
	Everywhere bool // of the installation, for administrators
	Admin      bool // the visitor is one
	Mail       bool // mailboxes can be told
	Mailbox    bool // it is one: the events are no choice
	Events     []eventField
	Problems   map[string]string // field → sentence
}

type eventField struct {
	Value, Label, Hint string
	Chosen             bool
}

var eventWords = []eventField{
	{Value: webhook.GenerationSucceeded, Label: "Generation succeeded", Hint: "With its outputs"},
	{Value: webhook.GenerationFailed, Label: "Generation failed", Hint: "With its error"},
	{Value: webhook.GenerationCanceled, Label: "Generation canceled", Hint: "By its client or a person"},
	{Value: webhook.AppSucceeded, Label: "App succeeded", Hint: "A run came to its end"},
	{Value: webhook.AppFailed, Label: "App failed", Hint: "A run did not"},
	{Value: webhook.AppCanceled, Label: "App canceled", Hint: "A run was stopped"},
	{Value: webhook.LimitReached, Label: "Limit reached", Hint: "A threshold was passed, once per window"},
}

func (f *endpointForm) offer(v access.Visitor, chosen []string) {
	f.Admin = v.User.Admin
	for _, e := range eventWords {
		e.Chosen = slices.Contains(chosen, e.Value)
		f.Events = append(f.Events, e)
	}
}

func (c *Room) newForm(v access.Visitor) endpointForm {
	f := endpointForm{Enabled: true, Mail: c.Endpoints.SendsMail()}
	f.offer(v, nil)
	return f
}

func (c *Room) readForm(form url.Values, v access.Visitor) endpointForm {
	f := endpointForm{
		Address: strings.TrimSpace(form.Get("address")), Enabled: form.Get("state") != "off",
		Everywhere: form.Get("of") == "all" && v.User.Admin, Mail: c.Endpoints.SendsMail(),
	}
	f.offer(v, form["event"])
	return f
}

// formOf is an endpoint as its page's form has it.
func (c *Room) formOf(e *webhook.Endpoint, v access.Visitor) endpointForm {
	f := endpointForm{Address: e.URL, Enabled: e.Enabled, Mail: c.Endpoints.SendsMail()}
	if mailbox, ok := e.Mailbox(); ok {
		f.Address, f.Mailbox = mailbox, true
	}
	f.offer(v, e.Events)
	return f
}

// endpoint is what the form asks for, in a workspace.
func (f *endpointForm) endpoint(workspace string) webhook.Endpoint {
	e := webhook.Endpoint{Workspace: workspace, URL: f.Address, Enabled: f.Enabled}
	if f.Everywhere {
		e.Workspace = ""
	}
	if strings.Contains(f.Address, "@") && !strings.Contains(f.Address, ":") {
		e.URL = webhook.MailURL(f.Address)
	}
	for _, event := range f.Events {
		if event.Chosen {
			e.Events = append(e.Events, event.Value)
		}
	}
	return e
}

// putProblem puts a refusal beside its field.
func (f *endpointForm) putProblem(field, sentence string) {
	f.Problems = map[string]string{field: sentence}
}

// eventLabel is an event in words.
func eventLabel(event string) string {
	for _, e := range eventWords {
		if e.Value == event {
			return e.Label
		}
	}
	return event
}

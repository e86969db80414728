package webhook

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
)

// The events that endpoints hear of. What an order's own webhook_url is told of an app
// is called a generation's; here runs of apps have a name of their own.
const (
	GenerationSucceeded = "generation.succeeded"
	GenerationFailed    = "generation.failed"
	GenerationCanceled  = "generation.canceled"
	AppSucceeded        = "app.succeeded"
	AppFailed           = "app.failed"
	AppCanceled         = "app.canceled"
	LimitReached        = "limit.reached"
)

// Events lists every event.
func Events() []string {
	return []string{GenerationSucceeded, GenerationFailed, GenerationCanceled, AppSucceeded, AppFailed, AppCanceled, LimitReached}
}

// Event is something that happened. Each endpoint that wants it gets a message.
type Event struct {
	Workspace string // "": the installation
	Type      string
	Subject   string // the id of what it is about
	At        time.Time
	Body      func() []byte // the message; asked for only where it is sent
}

// Endpoint is where messages of a workspace go: a server, or a mailbox.
type Endpoint struct {
	ID        string
	Workspace string   // "": it hears of limits of the whole installation
	URL       string   // https:, http: or mailto:
	Events    []string // none: all
	Enabled   bool
	Creator   string // id of a person, or command-line
	Created   time.Time
	OldUntil  time.Time // the secret before this one signs until then; zero for none
	GivenUp   int       // messages that were given up and not sent again

	CreatorName string // the person's address; the store fills it in
}

// Wants reports whether the endpoint gets messages of an event. A mailbox is told of
// limits only.
func (e *Endpoint) Wants(event string) bool {
	if _, ok := mailbox(e.URL); ok && event != LimitReached {
		return false
	}
	return e.Enabled && (len(e.Events) == 0 || slices.Contains(e.Events, event))
}

// Mailbox is the endpoint's, if it has one.
func (e *Endpoint) Mailbox() (address string, ok bool) { return mailbox(e.URL) }

const mailto = "mailto:"

// MailURL is a mailbox as a message's address.
func MailURL(address string) string { return mailto + address }

func mailbox(address string) (string, bool) { return strings.CutPrefix(address, mailto) }

// checkMailbox reports whether an address is one mailbox and nothing else.
func checkMailbox(address string) bool {
	a, err := mail.ParseAddress(address)
	return err == nil && a.Name == "" && a.Address == address && len(address) <= 254
}

// about is what the audit log calls an endpoint: an address may hold a secret, its
// host does not.
func (e *Endpoint) about() string {
	if address, ok := e.Mailbox(); ok {
		return address
	}
	return hostOf(e.URL)
}

func (e *Endpoint) changes(was *Endpoint) (list []access.Change) {
	note := func(field, old, next string) {
		if old != next {
			list = append(list, access.Change{Field: field, Old: old, New: next})
		}
	}
	if was.URL != e.URL {
		list = append(list, access.Change{Field: "address", Old: was.about(), New: e.about()})
	}
	note("events", eventsText(was), eventsText(e))
	note("enabled", onOff(was), onOff(e))
	return list
}

func eventsText(e *Endpoint) string {
	if e.URL != "" && len(e.Events) == 0 {
		return "all"
	}
	return strings.Join(e.Events, " ")
}

func onOff(e *Endpoint) string {
	switch {
	case e.URL == "":
		return ""
	case e.Enabled:
		return "yes"
	}
	return "no"
}

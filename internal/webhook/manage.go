package webhook

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/seal"
	"stele/internal/uid"
)

// mostEndpoints is how many a workspace may have: each costs a message an event.
const mostEndpoints = 50

// Shelf is where endpoints are kept, for those who set them.
type Shelf interface {
	// Endpoints lists those of a workspace, the oldest first.
	Endpoints(ctx context.Context, workspace string) ([]Endpoint, error)
	Endpoint(ctx context.Context, id string) (*Endpoint, error)
	InsertEndpoint(ctx context.Context, e Endpoint, secrets Secrets, entry access.Entry) error
	UpdateEndpoint(ctx context.Context, e Endpoint, entry access.Entry) error
	// DeleteEndpoint forgets an endpoint with its secrets. Its messages stay.
	DeleteEndpoint(ctx context.Context, id string, entry access.Entry) error
	WebhookSecrets(ctx context.Context, owner string) (Secrets, error)
	SetWebhookSecrets(ctx context.Context, owner string, last, next Secrets, entries ...access.Entry) (saved bool, err error)
	Deliveries(ctx context.Context, f Filter) ([]Delivery, error)
	// ReplayAll makes deliveries pending again and queues their jobs, and says how many
	// those are.
	ReplayAll(ctx context.Context, f Filter) (int, error)
	MailOff(ctx context.Context, workspace, user string) (bool, error)
	SetMailOff(ctx context.Context, workspace, user string, off bool) error
}

// Manager has people say where messages go. Owners manage the endpoints of their
// workspace, administrators those of the installation too.
type Manager struct {
	Shelf        Shelf
	Box          *seal.Box
	AllowPrivate func() []netip.Prefix // where messages may go beside public addresses
	Mail         bool                  // mail can be sent
	Now          func() time.Time
}

// List is the endpoints of a workspace; "" for those of the installation.
func (m *Manager) List(ctx context.Context, who access.Principal, workspace string) ([]Endpoint, error) {
	if !who.MaySee(workspace) {
		return nil, refuseNoWorkspace()
	}
	return m.Shelf.Endpoints(ctx, workspace)
}

// Find is an endpoint, if who may see it.
func (m *Manager) Find(ctx context.Context, who access.Principal, id string) (Endpoint, error) {
	e, err := m.Shelf.Endpoint(ctx, id)
	if errors.Is(err, access.ErrNotFound) || err == nil && !who.MaySee(e.Workspace) {
		return Endpoint{}, errNoEndpoint(id)
	}
	if err != nil {
		return Endpoint{}, err
	}
	return *e, nil
}

// findOwn is an endpoint, if who may change it.
func (m *Manager) findOwn(ctx context.Context, who access.Principal, id string) (Endpoint, error) {
	e, err := m.Find(ctx, who, id)
	if err != nil {
		return e, err
	}
	return e, m.may(who, &e)
}

// Create makes an endpoint. The secret is told now and never again; a mailbox has none.
func (m *Manager) Create(ctx context.Context, who access.Principal, e Endpoint) (Endpoint, string, error) {
	e.ID, e.Created, e.Enabled, e.Creator = uid.New("ep"), m.Now().UTC().Truncate(time.Millisecond), true, who.User
	if err := m.check(who, &e); err != nil {
		return e, "", err
	}
	list, err := m.Shelf.Endpoints(ctx, e.Workspace)
	if err != nil {
		return e, "", err
	}
	if len(list) >= mostEndpoints {
		return e, "", fault.New(fault.InvalidParameter, "A workspace has at most %d endpoints.", mostEndpoints).Field("url")
	}
	var secret string
	var secrets Secrets
	if _, ok := e.Mailbox(); !ok {
		secret = newSecret()
		secrets.Current = sealSecret(m.Box, e.ID, secret)
	}
	return e, secret, m.Shelf.InsertEndpoint(ctx, e, secrets, m.entry(who, "endpoint.create", &e, e.changes(&Endpoint{})))
}

// Change replaces address, events and whether it is on. Messages that are under way go
// to the new address.
func (m *Manager) Change(ctx context.Context, who access.Principal, next Endpoint) (Endpoint, error) {
	was, err := m.Find(ctx, who, next.ID)
	if err != nil {
		return next, err
	}
	e := was
	e.URL, e.Events, e.Enabled = next.URL, next.Events, next.Enabled
	if err := m.check(who, &e); err != nil {
		return e, err
	}
	_, before := was.Mailbox()
	if _, now := e.Mailbox(); now != before {
		return e, fieldError("url", "A mailbox does not become a server, nor a server a mailbox: make another endpoint.")
	}
	list := e.changes(&was)
	if len(list) == 0 {
		return e, nil
	}
	return e, m.Shelf.UpdateEndpoint(ctx, e, m.entry(who, "endpoint.update", &e, list))
}

// Rotate makes a new secret. Until grace is over messages carry a signature of the
// one before as well.
func (m *Manager) Rotate(ctx context.Context, who access.Principal, id string, grace time.Duration) (Endpoint, string, error) {
	e, err := m.findOwn(ctx, who, id)
	if err != nil {
		return e, "", err
	}
	if _, ok := e.Mailbox(); ok {
		return e, "", fieldError("url", "Mail is not signed: a mailbox has no secret.")
	}
	if grace < 0 || grace > mostGrace {
		return e, "", fieldError("grace", "The old secret signs for at most %d days more.", mostGrace/(24*time.Hour))
	}
	list := []access.Change{{Field: "secret", Old: "••••", New: "••••"}}
	secret, until, err := rotate(ctx, m.Shelf, m.Box, rotation{e.ID, grace, m.Now()}, m.entry(who, "endpoint.rotate", &e, list))
	e.OldUntil = until
	return e, secret, err
}

// Delete takes an endpoint away. What is under way to it is given up.
func (m *Manager) Delete(ctx context.Context, who access.Principal, id string) error {
	e, err := m.findOwn(ctx, who, id)
	if err != nil {
		return err
	}
	return m.Shelf.DeleteEndpoint(ctx, id, m.entry(who, "endpoint.delete", &e, (&Endpoint{}).changes(&e)))
}

// Deliveries lists messages, the newest first. Without an endpoint they are those of a
// workspace.
func (m *Manager) Deliveries(ctx context.Context, who access.Principal, f Filter) ([]Delivery, error) {
	if err := m.mayAsk(ctx, who, f); err != nil {
		return nil, err
	}
	return m.Shelf.Deliveries(ctx, f)
}

// Replay sends messages once more, under their old ids, and says how many those are.
func (m *Manager) Replay(ctx context.Context, who access.Principal, f Filter) (int, error) {
	if err := m.mayAsk(ctx, who, f); err != nil {
		return 0, err
	}
	if !who.Owns(f.Workspace) {
		return 0, fault.New(fault.PermissionDenied, "Only owners of the workspace send messages again.")
	}
	return m.Shelf.ReplayAll(ctx, f)
}

// SendsMail reports whether mail can be sent.
func (m *Manager) SendsMail() bool { return m.Mail }

// MailOff reports whether a person wants no mail about limits of a workspace.
func (m *Manager) MailOff(ctx context.Context, who access.Principal) (bool, error) {
	return m.Shelf.MailOff(ctx, who.Workspace, who.User)
}

// SetMailOff says whether a person wants mail about limits of a workspace.
func (m *Manager) SetMailOff(ctx context.Context, who access.Principal, off bool) error {
	return m.Shelf.SetMailOff(ctx, who.Workspace, who.User, off)
}

func errNoEndpoint(id string) error { return fault.New(fault.NotFound, "There is no endpoint %q.", id) }

const mostGrace = 30 * 24 * time.Hour

func (m *Manager) mayAsk(ctx context.Context, who access.Principal, f Filter) error {
	if f.Endpoint != "" {
		e, err := m.Find(ctx, who, f.Endpoint)
		if err == nil && e.Workspace != f.Workspace {
			return errNoEndpoint(f.Endpoint)
		}
		return err
	}
	if !who.MaySee(f.Workspace) {
		return refuseNoWorkspace()
	}
	return nil
}

// may refuses who may not change an endpoint.
func (m *Manager) may(who access.Principal, e *Endpoint) error {
	if e.Workspace == "" && !who.Admin || !who.Owns(e.Workspace) {
		return fault.New(fault.PermissionDenied, "Only owners of the workspace change its endpoints.")
	}
	return nil
}

// check refuses what cannot be meant, and who may not say it.
func (m *Manager) check(who access.Principal, e *Endpoint) error {
	if err := m.may(who, e); err != nil {
		return err
	}
	slices.Sort(e.Events)
	e.Events = slices.Compact(e.Events)
	for _, event := range e.Events {
		if !slices.Contains(Events(), event) {
			return fieldError("events", "There is no event %q.", event)
		}
	}
	if e.Workspace == "" && slices.ContainsFunc(e.Events, func(event string) bool { return event != LimitReached }) {
		return fieldError("events", "An endpoint of the installation hears of %s only.", LimitReached)
	}
	if address, ok := e.Mailbox(); ok {
		if !m.Mail {
			return fieldError("url", "No mail can be sent: the configuration names no mail server.")
		}
		if !checkMailbox(address) {
			return fieldError("url", "This is not the address of one mailbox.")
		}
		if slices.ContainsFunc(e.Events, func(event string) bool { return event != LimitReached }) {
			return fieldError("events", "A mailbox hears of %s only.", LimitReached)
		}
		return nil
	}
	if _, err := guard.CheckPublic(e.URL, m.AllowPrivate()); err != nil {
		return fieldError("url", "This address cannot be used: %v.", err)
	}
	return nil
}

func refuseNoWorkspace() error { return fault.New(fault.NotFound, "There is no such workspace.") }

func fieldError(field, format string, args ...any) error {
	return fault.New(fault.InvalidParameter, format, args...).Field(field)
}

func (m *Manager) entry(who access.Principal, action string, e *Endpoint, list []access.Change) access.Entry {
	workspace := cmp.Or(e.Workspace, access.DefaultWorkspace)
	return access.Entry{
		ID: uid.New("aud"), At: m.Now(), Actor: who.User, Workspace: workspace, Action: action, Target: e.ID, Detail: e.about(), Changes: list,
	}
}

// Package webhook tells others what happened: servers, signed after the Standard
// Webhooks scheme, and people by mail. A message is tried for three days, never at an
// address of this network. It must not know SQL, nor how mail is sent.
package webhook

import (
	"context"
	"time"

	"stele/internal/access"
	"stele/internal/inflight"
)

// Delivery is one message to one address. Its id is the same at every attempt.
type Delivery struct {
	ID        string
	Workspace string
	Endpoint  string // that it goes to; "" where an order or a person is its receiver
	Subject   string // what it is about: the id of a generation or a limit
	Type      string // generation.succeeded, …
	URL       string // mailto: for mail
	Body      []byte
	State     State
	Tries     int
	Status    int    // of the last answer; 0 for none
	Problem   string // of the last attempt; "" for none
	Answer    string // its first bytes, cleaned
	Deaths    int    // processes that died while they worked on it
	Created   time.Time
	Tried     time.Time
	Next      time.Time // the next attempt; zero where there is none, or none was made yet
	Delivered time.Time
}

// Filter picks deliveries. The zero value picks all.
type Filter struct {
	Workspace string
	Endpoint  string
	Type      string
	State     State
	ID        string
	Since     time.Time // made then or later
	Before    string    // only those before this one in the list
	Limit     int       // 0: as many as there are, where they are sent again
}

// State is how far a delivery is.
type State string

// The states of a delivery.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	GivenUp   State = "given_up"
	SetAside  State = "set_aside" // it brought the process down, or seems to have: a person may send it again
)

// Deliver is the job that makes one attempt.
type Deliver struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace,omitempty"`
}

// Kind names the job in the queue.
func (Deliver) Kind() string { return "webhook" }

// OfWorkspace is whose job it is: workspaces are served in turns.
func (d Deliver) OfWorkspace() string { return d.Workspace }

// Secrets are what the messages of a workspace or an endpoint are signed with: two while the older is still honoured.
type Secrets struct {
	Current string
	Old     string
	Until   time.Time // the end of the old one
}

// Store keeps deliveries and secrets.
type Store interface {
	// Delivery finds a delivery.
	Delivery(ctx context.Context, id string) (*Delivery, error)
	// Endpoint finds an endpoint.
	Endpoint(ctx context.Context, id string) (*Endpoint, error)
	// SaveAttempt saves how far a delivery is.
	SaveAttempt(ctx context.Context, d *Delivery) error
	// SetAsideDelivery ends a delivery and keeps why; one that is not pending stays as it is.
	SetAsideDelivery(ctx context.Context, a inflight.Aside) error
	// Deliveries lists those that a filter picks, the newest first.
	Deliveries(ctx context.Context, f Filter) ([]Delivery, error)
	// Replay makes a delivery pending again and queues its job.
	Replay(ctx context.Context, id string) error
	// WebhookSecrets are those of a workspace or an endpoint, sealed; zero where it has none.
	WebhookSecrets(ctx context.Context, owner string) (Secrets, error)
	// SetWebhookSecrets saves next, with entries of the audit log, unless another caller
	// has changed what was last.
	SetWebhookSecrets(ctx context.Context, owner string, last, next Secrets, entries ...access.Entry) (saved bool, err error)
	// DeleteDeliveriesBefore forgets what ended before a time.
	DeleteDeliveriesBefore(ctx context.Context, before time.Time) (int64, error)
	// TellThresholds writes the messages of thresholds of limits that were passed and of
	// which no subscriber was told yet, each once, and says how many thresholds those were.
	TellThresholds(ctx context.Context, mail bool) (int, error)
}

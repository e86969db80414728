// Package webhook tells other servers what happened: signed after the Standard
// Webhooks scheme, tried for three days, never at an address of this network. It
// must not know what it is about.
package webhook

import (
	"context"
	"time"

	"stele/internal/inflight"
)

// Delivery is one message to one address. Its id is the same at every attempt.
type Delivery struct {
	ID        string
	Workspace string
	Subject   string // what it is about: a generation's id
	Type      string // generation.succeeded, …
	URL       string
	Body      []byte
	State     State
	Tries     int
	Status    int    // of the last answer; 0 for none
	Problem   string // of the last attempt; "" for none
	Deaths    int    // processes that died while they worked on it
	Created   time.Time
	Tried     time.Time
	Delivered time.Time
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

// Tenant is whose job it is: workspaces are served in turns.
func (d Deliver) Tenant() string { return d.Workspace }

// Secrets are what a workspace signs with: two while the older is still honoured.
type Secrets struct {
	Current string
	Old     string
	Until   time.Time // the end of the old one
}

// Store keeps deliveries and secrets.
type Store interface {
	// Delivery finds a delivery.
	Delivery(ctx context.Context, id string) (*Delivery, error)
	// SaveAttempt saves how far a delivery is.
	SaveAttempt(ctx context.Context, d *Delivery) error
	// SetAsideDelivery ends a delivery and keeps why; one that is not pending stays as it is.
	SetAsideDelivery(ctx context.Context, a inflight.Aside) error
	// Deliveries lists the latest of a workspace, or of all where that is "".
	Deliveries(ctx context.Context, workspace string, limit int) ([]Delivery, error)
	// Replay makes a delivery pending again and queues its job.
	Replay(ctx context.Context, id string) error
	// WebhookSecrets are those of a workspace, sealed; zero where it has none.
	WebhookSecrets(ctx context.Context, workspace string) (Secrets, error)
	// SetWebhookSecrets saves next unless another caller has changed what was last.
	SetWebhookSecrets(ctx context.Context, workspace string, last, next Secrets) (saved bool, err error)
	// DeleteDeliveriesBefore forgets what ended before a time.
	DeleteDeliveriesBefore(ctx context.Context, before time.Time) (int64, error)
}

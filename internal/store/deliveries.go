package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/webhook"
)

var _ webhook.Store = (*Store)(nil)

const deliveryColumns = `id, workspace, subject, type, url, body, state, tries, status, problem, created_at, tried_at, delivered_at, deaths,
	endpoint, answer, next_at`

func insertDelivery(ctx context.Context, tx *sql.Tx, d *webhook.Delivery) error {
	return exec(ctx, tx, "insert delivery", `INSERT INTO deliveries (`+deliveryColumns+`) VALUES `+placeholders(1, 17, true),
		d.ID, d.Workspace, d.Subject, d.Type, d.URL, blob(d.Body), string(d.State), d.Tries, d.Status, clean(d.Problem),
		millis(d.Created), millis(d.Tried), millis(d.Delivered), d.Deaths, d.Endpoint, clean(d.Answer), millis(d.Next))
}

// Delivery finds a delivery.
func (s *Store) Delivery(ctx context.Context, id string) (*webhook.Delivery, error) {
	d, err := selectOne(ctx, s.read, deliveryCells, `SELECT `+deliveryColumns+` FROM deliveries WHERE id = $1`, id)
	return &d, err
}

// SaveAttempt saves how far a delivery is.
func (s *Store) SaveAttempt(ctx context.Context, d *webhook.Delivery) error {
	return exec(ctx, s.write, "save delivery", `UPDATE deliveries SET state = $2, tries = $3, status = $4, problem = $5, tried_at = $6, delivered_at = $7,
		answer = $8, next_at = $9, url = $10 WHERE id = $1`,
		d.ID, string(d.State), d.Tries, d.Status, clean(d.Problem), millis(d.Tried), millis(d.Delivered), clean(d.Answer), millis(d.Next), d.URL)
}

// Deliveries lists those that a filter picks, the newest first.
func (s *Store) Deliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, error) {
	by := filterWhere(f)
	return selectAll(ctx, s.read, "read deliveries", deliveryCells, `SELECT `+deliveryColumns+` FROM deliveries WHERE `+by.text()+
		` ORDER BY created_at DESC, id DESC LIMIT `+strconv.Itoa(f.Limit), s.planFor(by.args)...)
}

// filterWhere is what a filter asks for.
func filterWhere(f webhook.Filter) *where {
	c := new(where)
	c.addEqual("workspace", f.Workspace)
	c.addEqual("endpoint", f.Endpoint)
	c.addEqual("type", f.Type)
	c.addEqual("state", string(f.State))
	c.addEqual("id", f.ID)
	if !f.Since.IsZero() {
		c.add("created_at >= ?", millis(f.Since))
	}
	if f.Before != "" {
		c.add("(created_at, id) < (SELECT created_at, id FROM deliveries WHERE id = ?)", f.Before)
	}
	return c
}

const replayBite = 200 // messages in one transaction

// Replay makes a delivery pending again, as if it had never been tried, and queues
// its job. One that is pending already has its job.
func (s *Store) Replay(ctx context.Context, id string) error {
	if _, err := s.Delivery(ctx, id); err != nil {
		return err
	}
	_, err := s.ReplayAll(ctx, webhook.Filter{ID: id})
	return err
}

// ReplayAll does the same with all that a filter picks, the oldest first, and says how
// many were not pending.
func (s *Store) ReplayAll(ctx context.Context, f webhook.Filter) (int, error) {
	by := filterWhere(f)
	n := 0
	for f.Limit == 0 || n < f.Limit {
		bite := replayBite
		if f.Limit > 0 {
			bite = min(bite, f.Limit-n)
		}
		some, err := s.replaySome(ctx, by.text()+` AND state <> 'pending' ORDER BY created_at, id LIMIT `+strconv.Itoa(bite), by.args)
		n += some
		if err != nil || some < bite {
			return n, err
		}
	}
	return n, nil
}

func (s *Store) replaySome(ctx context.Context, where string, args []any) (int, error) {
	var jobs []generation.Job
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		jobs = nil
		list, err := selectAll(ctx, tx, "read deliveries", func(d *webhook.Deliver) []any { return []any{&d.ID, &d.Workspace} },
			`SELECT id, workspace FROM deliveries WHERE `+where+s.forUpdate(), args...)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			_, err = tx.ExecContext(ctx, `UPDATE deliveries SET state = $2, tries = 0, deaths = 0, delivered_at = 0, next_at = 0 WHERE id = $1`,
				d.ID, string(webhook.Pending))
			if err == nil {
				_, err = tx.ExecContext(ctx, `DELETE FROM set_aside WHERE id = $1`, d.ID)
			}
			if err != nil {
				return fmt.Errorf("replay delivery: %w", err)
			}
			jobs = append(jobs, d)
		}
		return s.queue.Enqueue(ctx, tx, jobs)
	})
	if err != nil {
		return 0, err
	}
	if len(jobs) > 0 {
		s.queue.Wake(jobs)
	}
	return len(jobs), nil
}

// DeleteDeliveriesBefore forgets what ended and was made before a time, a bite at a time.
func (s *Store) DeleteDeliveriesBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM deliveries WHERE id IN
		(SELECT id FROM deliveries WHERE created_at < $1 AND tried_at < $1 AND state <> 'pending' LIMIT 500)`, millis(before))
}

// WebhookSecrets are those of a workspace or an endpoint, zero where it has none.
func (s *Store) WebhookSecrets(ctx context.Context, owner string) (webhook.Secrets, error) {
	v, err := selectOne(ctx, s.read, func(v *webhook.Secrets) []any { return []any{&v.Current, &v.Old, at(&v.Until)} },
		`SELECT secret, old, old_until FROM webhook_secrets WHERE workspace = $1`, owner)
	if errors.Is(err, access.ErrNotFound) {
		return v, nil
	}
	return v, wrap("read webhook secrets", err)
}

// SetWebhookSecrets saves next, with entries of the audit log, unless another caller has changed what was last.
func (s *Store) SetWebhookSecrets(ctx context.Context, owner string, last, next webhook.Secrets, entries ...access.Entry) (bool, error) {
	statement := `UPDATE webhook_secrets SET secret = $2, old = $3, old_until = $4 WHERE workspace = $1 AND secret = $5`
	args := []any{owner, next.Current, next.Old, millis(next.Until), last.Current}
	if last.Current == "" {
		statement = `INSERT INTO webhook_secrets (workspace, secret, old, old_until) VALUES ($1, $2, $3, $4) ON CONFLICT (workspace) DO NOTHING`
		args = args[:4]
	}
	var n int64
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if n, err = affect(ctx, tx, "save webhook secrets", statement, args...); err != nil || n == 0 {
			return err
		}
		return s.insertAudit(ctx, tx, entries...)
	})
	return n == 1, err
}

func deliveryCells(d *webhook.Delivery) []any {
	return []any{
		&d.ID, &d.Workspace, &d.Subject, &d.Type, &d.URL, &d.Body, &d.State, &d.Tries, &d.Status, &d.Problem, at(&d.Created), at(&d.Tried), at(&d.Delivered),
		&d.Deaths, &d.Endpoint, &d.Answer, at(&d.Next),
	}
}

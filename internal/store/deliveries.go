package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"stele/internal/generation"
	"stele/internal/webhook"
)

var _ webhook.Store = (*Store)(nil)

const deliveryColumns = `id, workspace, subject, type, url, body, state, tries, status, problem, created_at, tried_at, delivered_at, deaths`

func insertDelivery(ctx context.Context, tx *sql.Tx, d *webhook.Delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO deliveries (`+deliveryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		d.ID, d.Workspace, d.Subject, d.Type, d.URL, blob(d.Body), string(d.State), d.Tries, d.Status, clean(d.Problem),
		millis(d.Created), millis(d.Tried), millis(d.Delivered), d.Deaths)
	if err != nil {
		return fmt.Errorf("insert delivery: %w", err)
	}
	return nil
}

// Delivery finds a delivery.
func (s *Store) Delivery(ctx context.Context, id string) (*webhook.Delivery, error) {
	d, err := scanDelivery(s.read.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM deliveries WHERE id = $1`, id))
	return d, found(err)
}

// SaveAttempt saves how far a delivery is.
func (s *Store) SaveAttempt(ctx context.Context, d *webhook.Delivery) error {
	_, err := s.write.ExecContext(ctx, `UPDATE deliveries SET state = $2, tries = $3, status = $4, problem = $5, tried_at = $6, delivered_at = $7
		WHERE id = $1`, d.ID, string(d.State), d.Tries, d.Status, clean(d.Problem), millis(d.Tried), millis(d.Delivered))
	if err != nil {
		return fmt.Errorf("save delivery: %w", err)
	}
	return nil
}

// Deliveries lists the latest of a workspace, or of all where that is "".
func (s *Store) Deliveries(ctx context.Context, workspace string, limit int) ([]webhook.Delivery, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+deliveryColumns+` FROM deliveries
		WHERE `+inWorkspace(workspace)+` ORDER BY created_at DESC, id DESC LIMIT $2`, workspace, limit)
	return scanAll("read deliveries", rows, err, deref(scanDelivery))
}

// Replay makes a delivery pending again, as if it had never been tried, and queues
// its job. One that is pending already has its job.
func (s *Store) Replay(ctx context.Context, id string) error {
	var jobs []generation.Job
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var state, workspace string
		err := tx.QueryRowContext(ctx, `SELECT state, workspace FROM deliveries WHERE id = $1`+s.forUpdate(), id).Scan(&state, &workspace)
		if err != nil || webhook.State(state) == webhook.Pending {
			return found(err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE deliveries SET state = $2, tries = 0, deaths = 0, delivered_at = 0 WHERE id = $1`, id, string(webhook.Pending))
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM set_aside WHERE id = $1`, id)
		}
		if err != nil {
			return fmt.Errorf("replay delivery: %w", err)
		}
		jobs = []generation.Job{webhook.Deliver{ID: id, Workspace: workspace}}
		return s.queue.Enqueue(ctx, tx, jobs)
	})
	if err == nil && len(jobs) > 0 {
		s.queue.Wake(jobs)
	}
	return err
}

// DeleteDeliveriesBefore forgets what ended and was made before a time, a bite at a time.
func (s *Store) DeleteDeliveriesBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM deliveries WHERE id IN
		(SELECT id FROM deliveries WHERE created_at < $1 AND tried_at < $1 AND state <> 'pending' LIMIT 500)`, millis(before))
}

// WebhookSecrets are those of a workspace, zero where it has none.
func (s *Store) WebhookSecrets(ctx context.Context, workspace string) (webhook.Secrets, error) {
	var v webhook.Secrets
	var until int64
	rows, err := s.read.QueryContext(ctx, `SELECT secret, old, old_until FROM webhook_secrets WHERE workspace = $1`, workspace)
	if err != nil {
		return v, fmt.Errorf("read webhook secrets: %w", err)
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(&v.Current, &v.Old, &until); err != nil {
			return v, fmt.Errorf("read webhook secrets: %w", err)
		}
	}
	v.Until = fromMillis(until)
	return v, rows.Err()
}

// SetWebhookSecrets saves next unless another caller has changed what was last.
func (s *Store) SetWebhookSecrets(ctx context.Context, workspace string, last, next webhook.Secrets) (bool, error) {
	statement := `UPDATE webhook_secrets SET secret = $2, old = $3, old_until = $4 WHERE workspace = $1 AND secret = $5`
	args := []any{workspace, next.Current, next.Old, millis(next.Until), last.Current}
	if last.Current == "" {
		statement = `INSERT INTO webhook_secrets (workspace, secret, old, old_until) VALUES ($1, $2, $3, $4) ON CONFLICT (workspace) DO NOTHING`
		args = args[:4]
	}
	result, err := s.write.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, fmt.Errorf("save webhook secrets: %w", err)
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

func scanDelivery(row scanner) (*webhook.Delivery, error) {
	var d webhook.Delivery
	var body []byte
	var created, tried, delivered int64
	err := row.Scan(&d.ID, &d.Workspace, &d.Subject, &d.Type, &d.URL, &body, &d.State, &d.Tries, &d.Status, &d.Problem, &created, &tried, &delivered, &d.Deaths)
	d.Body = slices.Clone(body)
	d.Created, d.Tried, d.Delivered = fromMillis(created), fromMillis(tried), fromMillis(delivered)
	return &d, err
}

package store

import (
	"context"
	"database/sql"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/uid"
	"stele/internal/webhook"
)

var _ webhook.Shelf = (*Store)(nil)

const endpointColumns = `id, workspace, url, events, enabled, created_by, created_at`

// Endpoints lists those of a workspace, the oldest first, with how many of their
// messages were given up.
func (s *Store) Endpoints(ctx context.Context, workspace string) ([]webhook.Endpoint, error) {
	return selectAll(ctx, s.read, "read endpoints", endpointCells, `SELECT `+endpointColumns+endpointFacts+`,
		(SELECT COUNT(*) FROM deliveries WHERE state = 'given_up' AND deliveries.workspace = $1 AND endpoint = webhook_endpoints.id)
		FROM webhook_endpoints WHERE workspace = $1 ORDER BY created_at, id`, workspace)
}

// Endpoint finds an endpoint. Its messages are not counted.
func (s *Store) Endpoint(ctx context.Context, id string) (*webhook.Endpoint, error) {
	e, err := selectOne(ctx, s.read, endpointCells, `SELECT `+endpointColumns+endpointFacts+`, 0 FROM webhook_endpoints WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

const endpointFacts = `,
	COALESCE((SELECT old_until FROM webhook_secrets WHERE webhook_secrets.workspace = webhook_endpoints.id), 0),
	COALESCE((SELECT email FROM users WHERE users.id = created_by), created_by)`

// InsertEndpoint saves a new endpoint with its secrets, which are sealed. A mailbox has none.
func (s *Store) InsertEndpoint(ctx context.Context, e webhook.Endpoint, secrets webhook.Secrets, entry access.Entry) error {
	return s.changeAudited(ctx, entry, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO webhook_endpoints (`+endpointColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			e.ID, e.Workspace, e.URL, encoded{append([]string{}, e.Events...)}, flag(e.Enabled), e.Creator, millis(e.Created))
		if err == nil && secrets.Current != "" {
			_, err = tx.ExecContext(ctx, `INSERT INTO webhook_secrets (workspace, secret, old, old_until) VALUES ($1, $2, '', 0)`, e.ID, secrets.Current)
		}
		return wrap("insert endpoint", err)
	})
}

// UpdateEndpoint saves what may change of an endpoint.
func (s *Store) UpdateEndpoint(ctx context.Context, e webhook.Endpoint, entry access.Entry) error {
	return s.changeAudited(ctx, entry, func(ctx context.Context, tx *sql.Tx) error {
		return execOr(ctx, tx, access.ErrNotFound, "update endpoint",
			`UPDATE webhook_endpoints SET url = $2, events = $3, enabled = $4 WHERE id = $1`, e.ID, e.URL, encoded{append([]string{}, e.Events...)}, flag(e.Enabled))
	})
}

// DeleteEndpoint forgets an endpoint with its secrets. Its messages stay.
func (s *Store) DeleteEndpoint(ctx context.Context, id string, entry access.Entry) error {
	return s.changeAudited(ctx, entry, func(ctx context.Context, tx *sql.Tx) error {
		if err := execOr(ctx, tx, access.ErrNotFound, "delete endpoint", `DELETE FROM webhook_endpoints WHERE id = $1`, id); err != nil {
			return err
		}
		return exec(ctx, tx, "delete endpoint", `DELETE FROM webhook_secrets WHERE workspace = $1`, id)
	})
}

// publishAll writes the messages of a task's events.
func (s *Store) publishAll(ctx context.Context, tx *sql.Tx, t *generation.Task) error {
	var jobs []generation.Job
	for _, e := range t.Events() {
		more, err := s.publish(ctx, tx, e)
		if err != nil {
			return err
		}
		jobs = append(jobs, more...)
	}
	t.SetMessages(jobs)
	if len(jobs) == 0 {
		return nil
	}
	return s.queue.Enqueue(ctx, tx, jobs)
}

// publish writes a message of an event for each endpoint that wants it, in a transaction
// of the caller, and gives the jobs that send them.
func (s *Store) publish(ctx context.Context, tx *sql.Tx, e webhook.Event) ([]generation.Job, error) {
	endpoints, err := selectAll(ctx, tx, "read endpoints", endpointCells,
		`SELECT `+endpointColumns+`, 0, '', 0 FROM webhook_endpoints WHERE workspace = $1 AND enabled = 1 ORDER BY created_at, id`, e.Workspace)
	if err != nil {
		return nil, err
	}
	var jobs []generation.Job
	for _, p := range endpoints {
		if !p.Wants(e.Type) {
			continue
		}
		job, err := send(ctx, tx, e, p.ID, p.URL)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// send writes a message of an event to one receiver.
func send(ctx context.Context, tx *sql.Tx, e webhook.Event, endpoint, address string) (generation.Job, error) {
	d := webhook.Delivery{
		ID: uid.New("msg"), Workspace: e.Workspace, Endpoint: endpoint, Subject: e.Subject, Type: e.Type, URL: address,
		Body: e.Body(), State: webhook.Pending, Created: e.At,
	}
	return webhook.Deliver{ID: d.ID, Workspace: d.Workspace}, insertDelivery(ctx, tx, &d)
}

func endpointCells(e *webhook.Endpoint) []any {
	return []any{
		&e.ID, &e.Workspace, &e.URL, treeIfAny(&e.Events), &e.Enabled, &e.Creator, at(&e.Created), at(&e.OldUntil), &e.CreatorName, &e.GivenUp,
	}
}

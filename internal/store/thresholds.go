package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/crash"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/webhook"
)

// markPassed notes the thresholds of a limit that were passed on the way from one
// percentage to another. Each is noted once, in the transaction that passes it.
func (s *Store) markPassed(ctx context.Context, tx *sql.Tx, counter int64, taken, settled, amount int64) error {
	was, is := percent(settled-taken, amount), percent(settled, amount)
	if is <= was {
		return nil
	}
	l, err := s.limitOf(ctx, tx, counter)
	if err != nil || l == nil {
		return err
	}
	for _, m := range l.Marks {
		if m <= was || m > is {
			continue
		}
		if err := mark(ctx, tx, l, counter, m, settled, amount); err != nil {
			return err
		}
	}
	return nil
}

func mark(ctx context.Context, tx *sql.Tx, l *limit.Limit, counter int64, m int, settled, amount int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told) VALUES ($1, $2, $3, $4, $5, $6, 0)
		ON CONFLICT (counter, mark) DO NOTHING`, counter, m, millis(time.Now()), l.Workspace, settled, amount)
	if err != nil {
		return fmt.Errorf("note a threshold: %w", err)
	}
	return nil
}

// MarkReached notes that a counter is used up, if at most this part of its amount is not
// settled.
func (s *Store) MarkReached(ctx context.Context, counter, part int64) error {
	var settled, amount int64
	err := s.read.QueryRowContext(ctx, `SELECT settled, amount FROM limit_counters
		WHERE id = $1 AND amount - settled <= amount / $2 AND NOT EXISTS (SELECT 1 FROM limit_marks WHERE counter = limit_counters.id AND mark = 100)`,
		counter, part).Scan(&settled, &amount)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read counter: %w", err)
	}
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		l, err := s.limitOf(ctx, tx, counter)
		if err != nil || l == nil || !slices.Contains(l.Marks, 100) {
			return err
		}
		return mark(ctx, tx, l, counter, 100, settled, amount)
	})
}

func percent(n, of int64) int {
	if of <= 0 {
		return 0
	}
	return int(min(100, 100*float64(n)/float64(of)))
}

// markMoved notes the thresholds that counters have passed because their limit has
// become smaller, or has new ones.
func markMoved(ctx context.Context, tx *sql.Tx, l *limit.Limit) error {
	for _, m := range l.Marks {
		_, err := tx.ExecContext(ctx, `INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told)
			SELECT id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), settled, amount, 0 FROM limit_counters
			WHERE limit_id = $1 AND (end_at = 0 OR end_at > CAST($3 AS BIGINT)) AND settled > 0 AND amount > 0
				AND settled * 100.0 >= amount * 1.0 * CAST($2 AS BIGINT)
			ON CONFLICT (counter, mark) DO NOTHING`, l.ID, m, millis(time.Now()), l.Workspace)
		if err != nil {
			return fmt.Errorf("note a threshold: %w", err)
		}
	}
	return nil
}

const mostTold = 100 // thresholds in one transaction

// TellThresholds writes the messages of thresholds of which no subscriber was told yet.
// That they were told is saved with the messages and their jobs, so each subscriber is
// told once, whichever server does it and whenever it dies.
func (s *Store) TellThresholds(ctx context.Context, mail bool) (int, error) {
	var any bool
	if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM limit_marks WHERE told = 0)`).Scan(&any); err != nil {
		return 0, fmt.Errorf("read thresholds: %w", err)
	}
	if !any {
		return 0, nil
	}
	var n int
	var jobs []generation.Job
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		jobs = nil
		passed, err := s.takePassed(ctx, tx)
		if n = len(passed); err != nil || n == 0 {
			return err
		}
		for _, p := range passed {
			more, err := s.tell(ctx, tx, p, mail)
			if err != nil {
				return err
			}
			jobs = append(jobs, more...)
		}
		if len(jobs) > 0 {
			err = s.queue.Enqueue(ctx, tx, jobs)
		}
		crash.Point("telling")
		return err
	})
	if err != nil {
		return 0, err
	}
	crash.Point("told")
	if len(jobs) > 0 {
		s.queue.Wake(jobs)
	}
	return n, nil
}

// takePassed takes thresholds that were not told yet, so that no other server has them.
func (s *Store) takePassed(ctx context.Context, tx *sql.Tx) ([]limit.Passed, error) {
	rows, err := tx.QueryContext(ctx, `UPDATE limit_marks SET told = 1
		WHERE told = 0 AND (counter, mark) IN (SELECT counter, mark FROM limit_marks WHERE told = 0 ORDER BY at, counter, mark LIMIT `+fmt.Sprint(mostTold)+`)
		RETURNING counter, mark, at, used, amount`)
	return scanAll("read thresholds", rows, err, func(row scanner) (p limit.Passed, err error) {
		var at int64
		err = row.Scan(&p.Counter, &p.Mark, &at, &p.Used, &p.Amount)
		p.At = fromMillis(at)
		return p, err
	})
}

// tell writes the messages of one threshold: to endpoints, and to people by mail.
func (s *Store) tell(ctx context.Context, tx *sql.Tx, p limit.Passed, mail bool) ([]generation.Job, error) {
	l, err := s.limitOf(ctx, tx, p.Counter)
	if err != nil || l == nil {
		return nil, err // it was taken away meanwhile
	}
	p.Limit = *l
	var start, end int64
	err = tx.QueryRowContext(ctx, `SELECT subject, start_at, end_at FROM limit_counters WHERE id = $1`, p.Counter).Scan(&p.Subject, &start, &end)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read counter: %w", err)
	}
	p.Start, p.End = fromMillis(start), fromMillis(end)
	event := webhook.ThresholdPassed(p)
	jobs, err := s.publish(ctx, tx, event)
	if err != nil || !mail {
		return jobs, err
	}
	people, err := s.mailReaders(ctx, tx, l.Workspace)
	if err != nil {
		return nil, err
	}
	for _, address := range people {
		job, err := send(ctx, tx, event, "", webhook.MailURL(address))
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// mailReaders are the people who get mail about limits: the owners of the workspace, or
// the administrators where it has none or the limit is the installation's, without those
// who want none.
func (s *Store) mailReaders(ctx context.Context, tx *sql.Tx, workspace string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT email FROM users
		WHERE (EXISTS (SELECT 1 FROM members WHERE user_id = users.id AND workspace = $1 AND role = 'owner')
			OR admin = 1 AND NOT EXISTS (SELECT 1 FROM members WHERE workspace = $1 AND role = 'owner'))
		AND NOT EXISTS (SELECT 1 FROM mail_off WHERE user_id = users.id AND workspace = $1) ORDER BY email`, workspace)
	return scanAll("read who gets mail", rows, err, func(row scanner) (address string, err error) {
		err = row.Scan(&address)
		return address, err
	})
}

// MailOff reports whether a person wants no mail about limits of a workspace.
func (s *Store) MailOff(ctx context.Context, workspace, user string) (bool, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM mail_off WHERE workspace = $1 AND user_id = $2`, workspace, user).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("read who gets mail: %w", err)
	}
	return n > 0, nil
}

// SetMailOff says whether a person wants mail about limits of a workspace.
func (s *Store) SetMailOff(ctx context.Context, workspace, user string, off bool) error {
	statement := `DELETE FROM mail_off WHERE workspace = $1 AND user_id = $2`
	if off {
		statement = `INSERT INTO mail_off (workspace, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	}
	if _, err := s.write.ExecContext(ctx, statement, workspace, user); err != nil {
		return fmt.Errorf("save who gets mail: %w", err)
	}
	return nil
}

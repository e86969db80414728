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
	return exec(ctx, tx, "note a threshold", `INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told) VALUES ($1, $2, $3, $4, $5, $6, 0)
		ON CONFLICT (counter, mark) DO NOTHING`, counter, m, millis(time.Now()), l.Workspace, settled, amount)
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
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
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
		err := exec(ctx, tx, "note a threshold", `INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told)
			SELECT id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), settled, amount, 0 FROM limit_counters
			WHERE limit_id = $1 AND (end_at = 0 OR end_at > CAST($3 AS BIGINT)) AND settled > 0 AND amount > 0
				AND settled * 100.0 >= amount * 1.0 * CAST($2 AS BIGINT)
			ON CONFLICT (counter, mark) DO NOTHING`, l.ID, m, millis(time.Now()), l.Workspace)
		if err != nil {
			return err
		}
	}
	return nil
}

const mostTold = 100 // thresholds in one transaction

// TellThresholds writes the messages of thresholds of which no subscriber was told yet.
// That they were told is saved with the messages and their jobs, so each subscriber is
// told once, whichever server does it and whenever it dies.
func (s *Store) TellThresholds(ctx context.Context, mail bool) (int, error) {
	any, err := selectValue[bool](ctx, s.read, "read thresholds", `SELECT EXISTS (SELECT 1 FROM limit_marks WHERE told = 0)`)
	if err != nil || !any {
		return 0, err
	}
	var n int
	var jobs []generation.Job
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
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
	return selectAll(ctx, tx, "read thresholds", func(p *limit.Passed) []any { return []any{&p.Counter, &p.Mark, at(&p.At), &p.Used, &p.Amount} },
		`UPDATE limit_marks SET told = 1
		WHERE told = 0 AND (counter, mark) IN (SELECT counter, mark FROM limit_marks WHERE told = 0 ORDER BY at, counter, mark LIMIT `+fmt.Sprint(mostTold)+`)
		RETURNING counter, mark, at, used, amount`)
}

// tell writes the messages of one threshold: to endpoints, and to people by mail.
func (s *Store) tell(ctx context.Context, tx *sql.Tx, p limit.Passed, mail bool) ([]generation.Job, error) {
	l, err := s.limitOf(ctx, tx, p.Counter)
	if err != nil || l == nil {
		return nil, err // it was taken away meanwhile
	}
	p.Limit = *l
	err = tx.QueryRowContext(ctx, `SELECT subject, start_at, end_at FROM limit_counters WHERE id = $1`, p.Counter).Scan(&p.Subject, at(&p.Start), at(&p.End))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read counter: %w", err)
	}
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
	return selectAll(ctx, tx, "read who gets mail", value[string], `SELECT email FROM users
		WHERE (EXISTS (SELECT 1 FROM members WHERE user_id = users.id AND workspace = $1 AND role = 'owner')
			OR admin = 1 AND NOT EXISTS (SELECT 1 FROM members WHERE workspace = $1 AND role = 'owner'))
		AND NOT EXISTS (SELECT 1 FROM mail_off WHERE user_id = users.id AND workspace = $1) ORDER BY email`, workspace)
}

// MailOff reports whether a person wants no mail about limits of a workspace.
func (s *Store) MailOff(ctx context.Context, workspace, user string) (bool, error) {
	n, err := selectValue[int](ctx, s.read, "read who gets mail", `SELECT COUNT(*) FROM mail_off WHERE workspace = $1 AND user_id = $2`, workspace, user)
	return n > 0, err
}

// SetMailOff says whether a person wants mail about limits of a workspace.
func (s *Store) SetMailOff(ctx context.Context, workspace, user string, off bool) error {
	statement := `DELETE FROM mail_off WHERE workspace = $1 AND user_id = $2`
	if off {
		statement = `INSERT INTO mail_off (workspace, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	}
	return exec(ctx, s.write, "save who gets mail", statement, workspace, user)
}

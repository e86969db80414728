package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"

	"stele/internal/access"
)

// opened is the condition under which a login, in the column or parameter it is
// given, opens a row of members.
func opened(via string) string {
	return `(` + via + ` = '' OR EXISTS (SELECT 1 FROM openings WHERE openings.user_id = members.user_id
		AND openings.workspace = members.workspace AND openings.via = ` + via + `))`
}

// Passwords lists every password by which a visitor may become this person, that of
// an administrator's link first.
func (s *Store) Passwords(ctx context.Context, user string) ([]access.Login, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT '', password FROM users WHERE id = $1 AND password <> ''
		UNION ALL SELECT via, password FROM logins WHERE user_id = $1 AND password <> '' ORDER BY 1`, user)
	return scanAll("read passwords", rows, err, func(row scanner) (c access.Login, err error) {
		err = row.Scan(&c.Via, &c.Password)
		return c, err
	})
}

// readLogins reads the logins of a person, in order.
func readLogins(ctx context.Context, tx *sql.Tx, user string) ([]access.Login, error) {
	rows, err := tx.QueryContext(ctx, `SELECT logins.via, logins.password, COALESCE(openings.workspace, '') FROM logins
		LEFT JOIN openings ON openings.user_id = logins.user_id AND openings.via = logins.via
		WHERE logins.user_id = $1 ORDER BY logins.via, openings.workspace`, user)
	if err != nil {
		return nil, fmt.Errorf("read logins: %w", err)
	}
	defer rows.Close()
	var list []access.Login
	for rows.Next() {
		var c access.Login
		var workspace string
		if err := rows.Scan(&c.Via, &c.Password, &workspace); err != nil {
			return nil, fmt.Errorf("read logins: %w", err)
		}
		if len(list) == 0 || list[len(list)-1].Via != c.Via {
			list = append(list, c)
		}
		if last := &list[len(list)-1]; workspace != "" {
			last.Opens = append(last.Opens, workspace)
		}
	}
	return list, rows.Err()
}

// setLogins saves the logins of a person and ends what belonged to those that are gone.
func setLogins(ctx context.Context, tx *sql.Tx, user string, was, is []access.Login) error {
	if reflect.DeepEqual(was, is) {
		return nil
	}
	for _, table := range []string{"openings", "logins"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE user_id = $1`, user); err != nil {
			return fmt.Errorf("delete %s: %w", table, err)
		}
	}
	for _, c := range is {
		_, err := tx.ExecContext(ctx, `INSERT INTO logins (user_id, via, password) VALUES ($1, $2, $3)`, user, c.Via, c.Password)
		if err != nil {
			return fmt.Errorf("insert login: %w", err)
		}
		for _, workspace := range c.Opens {
			_, err := tx.ExecContext(ctx, `INSERT INTO openings (user_id, workspace, via) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				user, workspace, c.Via)
			if err != nil {
				return fmt.Errorf("insert opening: %w", err)
			}
		}
	}
	for _, table := range []string{"sessions", "factors", "devices"} {
		_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE user_id = $1 AND via <> ''
			AND via NOT IN (SELECT via FROM logins WHERE user_id = $1)`, user)
		if err != nil {
			return fmt.Errorf("end %s of a login: %w", table, err)
		}
	}
	return nil
}

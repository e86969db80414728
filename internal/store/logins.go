package store

import (
	"context"
	"database/sql"
	"reflect"

	"stele/internal/access"
)

// loginCondition is the condition under which a login, in the column or parameter it is
// given, opens a row of members.
func loginCondition(via string) string {
	return `(` + via + ` = '' OR EXISTS (SELECT 1 FROM openings WHERE openings.user_id = members.user_id
		AND openings.workspace = members.workspace AND openings.via = ` + via + `))`
}

// Passwords lists every password by which a visitor may become this person, that of
// an administrator's link first.
func (s *Store) Passwords(ctx context.Context, user string) ([]access.Login, error) {
	return selectAll(ctx, s.read, "read passwords", func(c *access.Login) []any { return []any{&c.Via, &c.Password} },
		`SELECT '', password FROM users WHERE id = $1 AND password <> ''
		UNION ALL SELECT via, password FROM logins WHERE user_id = $1 AND password <> '' ORDER BY 1`, user)
}

// readLogins reads the logins of a person, in order.
func readLogins(ctx context.Context, tx *sql.Tx, user string) ([]access.Login, error) {
	var list []access.Login
	err := selectEach(ctx, tx, "read logins", func(c *access.Login) []any { return []any{&c.Via, &c.Password, lines(&c.Opens)} },
		func(c access.Login) {
			if last := len(list) - 1; last >= 0 && list[last].Via == c.Via {
				list[last].Opens = append(list[last].Opens, c.Opens...)
			} else {
				list = append(list, c)
			}
		}, `SELECT logins.via, logins.password, COALESCE(openings.workspace, '') FROM logins
		LEFT JOIN openings ON openings.user_id = logins.user_id AND openings.via = logins.via
		WHERE logins.user_id = $1 ORDER BY logins.via, openings.workspace`, user)
	return list, err
}

// setLogins saves the logins of a person and ends what belonged to those that are gone.
func setLogins(ctx context.Context, tx *sql.Tx, user string, was, is []access.Login) error {
	if reflect.DeepEqual(was, is) {
		return nil
	}
	for _, table := range []string{"openings", "logins"} {
		if err := exec(ctx, tx, "delete "+table, `DELETE FROM `+table+` WHERE user_id = $1`, user); err != nil {
			return err
		}
	}
	for _, c := range is {
		err := exec(ctx, tx, "insert login", `INSERT INTO logins (user_id, via, password) VALUES ($1, $2, $3)`, user, c.Via, c.Password)
		if err != nil {
			return err
		}
		for _, workspace := range c.Opens {
			err := exec(ctx, tx, "insert opening", `INSERT INTO openings (user_id, workspace, via) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				user, workspace, c.Via)
			if err != nil {
				return err
			}
		}
	}
	for _, table := range []string{"sessions", "factors", "devices"} {
		err := exec(ctx, tx, "end "+table+" of a login", `DELETE FROM `+table+` WHERE user_id = $1 AND via <> ''
			AND via NOT IN (SELECT via FROM logins WHERE user_id = $1)`, user)
		if err != nil {
			return err
		}
	}
	return nil
}

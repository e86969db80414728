package store

import (
	"context"
)

// Setting reads one fact about the installation.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	return selectOne(ctx, s.read, value[string], `SELECT value FROM settings WHERE name = $1`, name)
}

// Set saves value, whatever was there.
func (s *Store) Set(ctx context.Context, name, value string) error {
	return setIn(ctx, s.write, name, value)
}

// SetOnce saves value unless the setting is there, and returns what is there
// then. Of two at once, one wins and both return its value.
func (s *Store) SetOnce(ctx context.Context, name, value string) (string, error) {
	return selectValue[string](ctx, s.write, "set "+name, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`, name, value)
}

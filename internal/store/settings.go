package store

import (
	"context"
	"fmt"
)

// Setting reads one fact about the installation.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value string
	err := s.read.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, found(err)
}

// Set saves value, whatever was there.
func (s *Store) Set(ctx context.Context, name, value string) error {
	_, err := s.write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}

// SetOnce saves value unless the setting is there, and returns what is there
// then. Of two at once, one wins and both return its value.
func (s *Store) SetOnce(ctx context.Context, name, value string) (string, error) {
	var kept string
	err := s.write.QueryRowContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`, name, value).Scan(&kept)
	if err != nil {
		return "", fmt.Errorf("set %s: %w", name, err)
	}
	return kept, nil
}

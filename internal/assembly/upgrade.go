package assembly

import (
	"context"
	"log/slog"

	"stele/internal/config"
	"stele/internal/store"
	"stele/internal/uid"
)

// Upgrade brings the database up to date, as every start does. Uncopied is for where there is
// no room for the copy that is made of SQLite first.
func Upgrade(ctx context.Context, cfg *config.Config, uncopied bool) error {
	if uncopied {
		if err := store.UpgradeWithoutCopy(ctx, cfg.DatabaseURL.Reveal(), cfg.Data); err != nil {
			return err
		}
	}
	h, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.Close()
	_, err = openQueue(ctx, h.Store, uid.New("node"), slog.New(slog.DiscardHandler)) // it has tables of its own
	return err
}

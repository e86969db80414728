package assembly

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/store"
)

// Installation is a data folder, its database and its master key: what every
// command that changes something stands on.
type Installation struct {
	Config  *config.Config
	Store   *store.Store
	Keyring *access.Keyring
	Access  *access.Service

	files masterFiles
}

// Open opens the data folder and the database, making both where they are missing,
// and refuses a master key that is not theirs.
func Open(ctx context.Context, cfg *config.Config) (*Installation, error) {
	for _, folder := range []string{cfg.Data, filepath.Join(cfg.Data, "blobs")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make data folder: %w", err)
		}
	}
	files, err := ownMaster(cfg)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), cfg.Data)
	if err != nil {
		return nil, err
	}
	h := &Installation{Config: cfg, Store: db, files: files}
	if err := h.unlock(ctx); err != nil {
		db.Close()
		return nil, err
	}
	h.Access.SetSignInRules(signInRules(cfg, cfg))
	return h, nil
}

// MasterKeyFile is where the master key is.
func (h *Installation) MasterKeyFile() string { return h.files.path }

// Close closes the database.
func (h *Installation) Close() { h.Store.Close() }

// unlock opens what is sealed, and chains the audit log of an older version.
func (h *Installation) unlock(ctx context.Context) error {
	var err error
	if h.Keyring, err = access.OpenKeyring(ctx, h.Store, h.files.read); err != nil {
		return err
	}
	h.files.promote(h.Keyring.State())
	h.Store.SetProver(h.Proves())
	if err := h.Store.ChainOld(ctx); err != nil {
		return err
	}
	h.Access = access.New(h.Store, h.Keyring, time.Now)
	return h.Access.Load(ctx)
}

// Proves makes the keyed hash that proves the head of the audit log.
func (h *Installation) Proves() func(text string) string {
	prover := h.Keyring.Prover()
	return func(text string) string { return fmt.Sprintf("%x", prover.Sum(text)) }
}

// signing gives the secrets of signed addresses.
func (h *Installation) signing() [][]byte { return h.Keyring.Signing("files", time.Now()) }

// Settle waits until every server knows what was changed: the one on the same data
// folder is asked to look, others say how far they are. What fails here only makes
// them see it later: the change is saved, and its secret is shown once.
func (h *Installation) Settle(ctx context.Context) {
	socket := filepath.Join(h.Config.Data, "control.sock")
	if _, err := os.Stat(socket); err == nil {
		bounded, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if request, err := http.NewRequestWithContext(bounded, http.MethodPost, "http://stele/refresh", nil); err == nil {
			answer, err := guard.Local(socket).Do(request)
			if err == nil {
				_ = answer.Body.Close()
			}
			if err == nil && answer.StatusCode == http.StatusOK && h.Store.Engine() == "sqlite" {
				return // there is no other one
			}
		}
	}
	_ = h.Access.Await(ctx)
}

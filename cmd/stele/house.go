package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/seal"
	"stele/internal/store"
)

// house is what every command that changes something stands on.
type house struct {
	store  *store.Store
	master *seal.Master
	access *access.Service
}

// openHouse opens the data folder and the database, making both where they are
// missing, and refuses a master key that is not theirs.
func openHouse(ctx context.Context, cfg *config.Config) (*house, error) {
	for _, folder := range []string{cfg.Data, filepath.Join(cfg.Data, "blobs")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make data folder: %w", err)
		}
	}
	var master *seal.Master
	var err error
	if cfg.MasterKeyFile != "" {
		master, err = seal.Load(cfg.MasterKeyFile)
	} else {
		master, err = ownMaster(cfg)
	}
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), cfg.Data)
	if err != nil {
		return nil, err
	}
	h := &house{store: db, master: master, access: access.New(db, master, time.Now)}
	h.access.SetSignInRules(signInRules(cfg, cfg))
	if err := errors.Join(h.access.CheckMaster(ctx, master.Fingerprint()), h.access.Load(ctx)); err != nil {
		db.Close()
		return nil, err
	}
	return h, nil
}

// ownMaster is the key in the data folder. It is made with the database: beside
// a database that is already there a new one could open nothing.
func ownMaster(cfg *config.Config) (*seal.Master, error) {
	file := filepath.Join(cfg.Data, "master.key")
	_, noKey := os.Stat(file)
	if _, noDatabase := os.Stat(filepath.Join(cfg.Data, "stele.db")); noKey != nil && noDatabase == nil {
		return nil, fmt.Errorf("%s is missing beside its database: put the file back, or give it with --master-key-file", file)
	}
	return seal.LoadOrMake(file)
}

// withAccess runs a command that manages keys or people, whether a server is
// running on the same database or not.
func withAccess(ctx context.Context, w world, f *flags, do func(*access.Service) error) error {
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.store.Close()
	return do(h.access)
}

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/seal"
	"stele/internal/store"
)

// house is what every command that changes something stands on.
type house struct {
	store  *store.Store
	files  masterFiles
	master *access.Keyring
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
	files, err := ownMaster(cfg)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), cfg.Data)
	if err != nil {
		return nil, err
	}
	h := &house{store: db, files: files}
	if err := h.unlock(ctx); err != nil {
		db.Close()
		return nil, err
	}
	h.access.SetSignInRules(signInRules(cfg, cfg))
	return h, nil
}

// unlock opens what is sealed, and chains the audit log of an older version.
func (h *house) unlock(ctx context.Context) error {
	var err error
	if h.master, err = access.OpenKeyring(ctx, h.store, h.files.read); err != nil {
		return err
	}
	h.files.promote(h.master.State())
	h.store.SetProver(h.proves())
	if err := h.store.ChainOld(ctx); err != nil {
		return err
	}
	h.access = access.New(h.store, h.master, time.Now)
	return h.access.Load(ctx)
}

// proves makes the keyed hash that proves the head of the audit log.
func (h *house) proves() func(text string) string {
	prover := h.master.Prover()
	return func(text string) string { return fmt.Sprintf("%x", prover.Sum(text)) }
}

// signing gives the secrets of signed addresses.
func (h *house) signing() [][]byte { return h.master.Signing("files", time.Now()) }

// masterFiles is where the master key is: at a path, and beside it the one that a
// change goes to, until that takes its place.
type masterFiles struct{ path string }

func (f masterFiles) next() string { return f.path + ".next" }

// read gives the master keys at hand.
func (f masterFiles) read() ([]*seal.Master, error) {
	current, err := seal.Load(f.path)
	if err != nil {
		return nil, err
	}
	next, err := seal.Load(f.next())
	if err != nil { // there is none, or it is still being copied
		return []*seal.Master{current}, nil //nolint:nilerr // the one in place counts
	}
	return []*seal.Master{current, next}, nil
}

// promote puts the next key in its place once the one there opens nothing any
// more: the change was ended on another machine.
func (f masterFiles) promote(state access.MasterState) {
	list, err := f.read()
	if err != nil || len(list) < 2 || list[1].Fingerprint() != state.Using || slices.Contains(state.Opens, list[0].Fingerprint()) {
		return
	}
	_ = seal.Replace(f.next(), f.path) // where that may not be, both files stay and work
}

// ownMaster finds the master key, or makes it in the data folder. It is made with
// the database: beside a database that is already there a new one could open nothing.
func ownMaster(cfg *config.Config) (masterFiles, error) {
	if cfg.MasterKeyFile != "" {
		_, err := seal.Load(cfg.MasterKeyFile)
		return masterFiles{cfg.MasterKeyFile}, err
	}
	file := filepath.Join(cfg.Data, "master.key")
	_, noKey := os.Stat(file)
	if _, noDatabase := os.Stat(filepath.Join(cfg.Data, "stele.db")); noKey != nil && noDatabase == nil {
		return masterFiles{}, fmt.Errorf("%s is missing beside its database: put the file back, or give it with --master-key-file", file)
	}
	_, err := seal.LoadOrMake(file)
	return masterFiles{file}, err
}

// withKeys runs a command that changes keys, or what decides about them. It calls
// known before it prints: every server on the same store knows the change then.
func withKeys(ctx context.Context, w world, f *flags, do func(s *access.Service, known func()) error) error {
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.store.Close()
	return do(h.access, func() { h.settle(ctx, cfg) })
}

// settle waits until every server knows what was changed: the one on the same data
// folder is asked to look, others say how far they are. What fails here only makes
// them see it later: the change is saved, and its secret is shown once.
func (h *house) settle(ctx context.Context, cfg *config.Config) {
	socket := filepath.Join(cfg.Data, "control.sock")
	if _, err := os.Stat(socket); err == nil {
		bounded, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if request, err := http.NewRequestWithContext(bounded, http.MethodPost, "http://stele/refresh", nil); err == nil {
			answer, err := guard.Local(socket).Do(request)
			if err == nil {
				_ = answer.Body.Close()
			}
			if err == nil && answer.StatusCode == http.StatusOK && h.store.Engine() == "sqlite" {
				return // there is no other one
			}
		}
	}
	_ = h.access.Await(ctx)
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

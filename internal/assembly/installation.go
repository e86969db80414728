package assembly

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/disk"
	"stele/internal/guard"
	"stele/internal/store"
	"stele/internal/supply"
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
		if err := disk.MakeFolders(folder); err != nil {
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
	bounded, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, done, err := Control(bounded, h.Config, "refresh"); err == nil && done && h.Store.Engine() == "sqlite" {
		return // there is no other one
	}
	_ = h.Access.Await(ctx)
}

// Control has the server that runs on a data folder do something, and gives what it
// said and whether it was done.
func Control(ctx context.Context, cfg *config.Config, command string) (said string, done bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://stele/"+command, nil)
	if err != nil {
		return "", false, err
	}
	answer, err := guard.Local(filepath.Join(cfg.Data, "control.sock")).Do(request)
	if err != nil {
		return "", false, fmt.Errorf("no server is running on %s: %w", cfg.Data, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return "", false, fmt.Errorf("read the server's answer: %w", err)
	}
	return string(text), answer.StatusCode == http.StatusOK, nil
}

// Supply is what the configuration and the database offer, for commands: nothing is
// asked of any provider, and nothing follows what others change.
func (h *Installation) Supply(ctx context.Context, p Process) (*supply.Supply, error) {
	offered, err := ReadContents(h.Config)
	if err != nil {
		return nil, err
	}
	n := newNode(p, h)
	n.log = slog.New(slog.NewTextHandler(p.Log, nil))
	err = n.openSupply(ctx, offered, nil)
	return n.supply, err
}

package assembly

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/seal"
)

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

// MasterFile is where the master key is looked for.
func MasterFile(cfg *config.Config) string {
	return cmp.Or(cfg.MasterKeyFile, filepath.Join(cfg.Data, "master.key"))
}

// ownMaster finds the master key, or makes it in the data folder. It is made with
// the database: beside a database that is already there a new one could open nothing.
func ownMaster(cfg *config.Config) (masterFiles, error) {
	if cfg.MasterKeyFile != "" {
		_, err := seal.Load(cfg.MasterKeyFile)
		return masterFiles{cfg.MasterKeyFile}, err
	}
	file := MasterFile(cfg)
	_, noKey := os.Stat(file)
	if _, noDatabase := os.Stat(filepath.Join(cfg.Data, "stele.db")); noKey != nil && noDatabase == nil {
		return masterFiles{}, fmt.Errorf("%s is missing beside its database: put the file back, or give it with --master-key-file", file)
	}
	_, err := seal.LoadOrMake(file)
	return masterFiles{file}, err
}

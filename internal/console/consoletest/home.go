package consoletest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/queue"
	"stele/internal/seal"
	"stele/internal/store"
)

// home is a database as a house begins with it. It is made once for all tests of a
// package and copied for each: migrating takes longer than most tests.
type home struct {
	files   map[string][]byte
	welcome access.Welcome
	cookie  string // of the administrator; "" where there is none yet
}

var (
	master  = seal.New() // the homes' own: what they keep is hashed with it
	morning = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	fresh   = sync.OnceValues(func() (*home, error) { return (&home{}).changed(start) })
	settled = sync.OnceValues(func() (*home, error) {
		h, err := fresh()
		if err != nil {
			return nil, err
		}
		return h.changed(settle)
	})
)

// start is an installation's first start.
func start(h *home, s *store.Store, a *access.Service) error {
	if err := queue.Migrate(context.Background(), s.Writer(), s.Pool()); err != nil {
		return err
	}
	w, err := a.FirstStart(context.Background())
	if err == nil {
		h.welcome = *w
	}
	return err
}

// settle has an administrator sign in for the first time.
func settle(h *home, _ *store.Store, a *access.Service) (err error) {
	_, h.cookie, err = a.SetUp(context.Background(), h.welcome.SetupToken, Email, Password, access.Browser{Remote: "192.0.2.1"})
	return err
}

// changed is a copy of the home in which something was done.
func (h *home) changed(do func(*home, *store.Store, *access.Service) error) (*home, error) {
	folder, err := os.MkdirTemp("", "stele-home-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := h.copyTo(folder); err != nil {
		return nil, err
	}
	s, err := store.Open(context.Background(), "", folder)
	if err != nil {
		return nil, err
	}
	next := &home{files: make(map[string][]byte), welcome: h.welcome, cookie: h.cookie}
	people := access.New(s, master, func() time.Time { return morning })
	people.HashCheaply()
	err = do(next, s, people)
	s.Close()
	if err != nil {
		return nil, fmt.Errorf("make a home: %w", err)
	}
	names, err := os.ReadDir(folder)
	for _, name := range names {
		if err == nil {
			next.files[name.Name()], err = os.ReadFile(filepath.Join(folder, name.Name()))
		}
	}
	return next, err
}

func (h *home) copyTo(folder string) error {
	for name, body := range h.files {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

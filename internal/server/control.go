package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
)

// Control answers the command line of the same machine on a socket that only
// the server's own user can open.
type Control struct {
	listener net.Listener
	server   *http.Server
}

// Commands are what the command line may ask of a running server.
type Commands struct {
	Reload  func(context.Context) (note string, err error) // the configuration
	Refresh func(context.Context) error                    // takes over changed keys before it returns
}

// NewControl listens at path. POST /reload and /refresh answer with a note, or with
// what went wrong, as text.
func NewControl(path string, bounds func() Bounds, do Commands) (*Control, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove old control socket: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect control socket: %w", err), listener.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, r *http.Request) {
		note, err := do.Reload(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		if note != "" {
			_, _ = fmt.Fprintln(w, note)
		}
	})
	mux.HandleFunc("POST /refresh", func(w http.ResponseWriter, r *http.Request) {
		if err := do.Refresh(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	crowd := newCrowd(bounds, func() []netip.Prefix { return nil })
	return &Control{listener: doorway{listener, crowd, false}, server: newHTTP(Unlogged(bounds, mux), bounds())}, nil
}

// Run answers until ctx ends.
func (c *Control) Run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = c.server.Close() })
	defer stop()
	_ = c.server.Serve(c.listener)
}

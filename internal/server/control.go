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

// NewControl listens at path. POST /reload calls reload and answers with its
// note, or with what went wrong, as text.
func NewControl(path string, reload func(context.Context) (note string, err error)) (*Control, error) {
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
		note, err := reload(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		if note != "" {
			_, _ = fmt.Fprintln(w, note)
		}
	})
	usual := func() Bounds { return standard }
	crowd := newCrowd(usual, func() []netip.Prefix { return nil })
	return &Control{listener: doorway{listener, crowd}, server: newHTTP(Hold(usual, mux), standard)}, nil
}

// Run answers until ctx ends.
func (c *Control) Run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = c.server.Close() })
	defer stop()
	_ = c.server.Serve(c.listener)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/client"
	"stele/internal/config"
)

// remote is a running server: its address and a key for it.
type remote struct {
	url, key string
	client   *http.Client
	lifetime time.Duration // of a key that is made; 0: twelve hours
}

// onServer makes do what a command does on the running server, with a key that
// opens the groups: the one that was given, or one made for the time it takes.
func (p *program) onServer(c *cobra.Command, r *remote, do func(*cobra.Command, *config.Config, []string) error, groups ...access.Group) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := p.load()
		if err != nil {
			return err
		}
		done, err := r.open(c, p.world, cfg, groups)
		if err != nil {
			return err
		}
		defer done()
		return do(c, cfg, args)
	}
	c.Flags().StringVar(&r.key, "key", "", "API key (default $STELE_API_KEY, else one made for this)")
	c.Flags().StringVar(&r.url, "url", "", "address of the server (default: the configured public URL)")
	return c
}

// open finds the server and a key for it. done gives back a key that was made. Where no server
// was ever started none is: a new installation's key opens nothing.
func (r *remote) open(c *cobra.Command, w world, cfg *config.Config, groups []access.Group) (done func(), err error) {
	ctx := c.Context()
	r.url = baseURL(cmp.Or(r.url, cfg.Public(cfg.Listen)))
	if u, err := url.Parse(r.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the server's address must begin with https:// or http://, and %q does not", r.url)
	}
	r.key = cmp.Or(r.key, w.getenv("STELE_API_KEY"))
	if r.client, err = assembly.OperatorClient(cfg, w.getenv); err != nil {
		return nil, err
	}
	if r.key != "" {
		return func() {}, nil
	}
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) && cfg.DatabaseURL.Reveal() == "" {
		return nil, fmt.Errorf("there is no API key: give one with --key or STELE_API_KEY. "+
			"On the server's own machine one is made where --data names its folder, and there is no folder %s", cfg.Data)
	}
	h, err := assembly.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	top := c
	for top.Parent() != nil && top.Parent().HasParent() {
		top = top.Parent()
	}
	k, secret, err := h.Access.CreateKey(ctx, operator(), access.NewKey{
		Name: "stele " + top.Name(), Lifetime: cmp.Or(r.lifetime, 12*time.Hour), Scope: access.Scope{Groups: groups},
	})
	if err != nil {
		h.Close()
		return nil, err
	}
	h.Settle(ctx)
	r.key = secret
	return func() {
		defer h.Close()
		_, _ = h.Access.RevokeKey(context.WithoutCancel(ctx), operator(), k.ID) // it expires anyway
	}, nil
}

// server is the same for the calls that client has.
func (r *remote) server() *client.Server {
	return &client.Server{URL: r.url, Key: r.key, HTTP: r.client, Fresh: true}
}

// baseURL is a server's address without what clients of the API write behind it.
func baseURL(address string) string {
	address = strings.TrimRight(address, "/")
	for _, end := range []string{"/v1", "/v1beta", "/api"} {
		address = strings.TrimSuffix(address, end)
	}
	return address
}

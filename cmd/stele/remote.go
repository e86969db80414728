package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
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

// open finds the server and a key for it. done gives back a key that was made.
func (r *remote) open(c *cobra.Command, w world, cfg *config.Config, groups []access.Group) (done func(), err error) {
	ctx := c.Context()
	if r.url == "" {
		r.url = cfg.Public(cfg.Listen)
	}
	if r.key == "" {
		r.key = w.getenv("STELE_API_KEY")
	}
	if r.client, err = assembly.OperatorClient(cfg, w.getenv); err != nil {
		return nil, err
	}
	if r.key != "" {
		return func() {}, nil
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

// refusal is an error that the server answered with.
type refusal struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// get reads what is at a path.
func (r *remote) get(ctx context.Context, path string, into any) error {
	return r.do(ctx, http.MethodGet, path, nil, func() io.Reader { return nil }, into)
}

// post sends a body to a path.
func (r *remote) post(ctx context.Context, path string, body []byte, into any) error {
	return r.do(ctx, http.MethodPost, path, nil, func() io.Reader { return bytes.NewReader(body) }, into)
}

// do sends a request and reads the answer's data into it.
func (r *remote) do(ctx context.Context, method, path string, header http.Header, body func() io.Reader, into any) error {
	return untilKnown(ctx, func() (again bool, err error) {
		err = r.once(ctx, method, path, header, body(), into)
		refused, ok := err.(*refusal) //nolint:errorlint // once gives it bare
		return ok && refused.status == http.StatusUnauthorized, err
	})
}

// untilKnown tries again while the key is not known: one that was just made may
// need a moment.
func untilKnown(ctx context.Context, try func() (again bool, err error)) error {
	for n := 0; ; n++ {
		again, err := try()
		if !again || n == 10 {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *remote) once(ctx context.Context, method, path string, header http.Header, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Authorization", "Bearer "+r.key)
	answer, err := r.client.Do(req)
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	var envelope struct {
		Data  any      `json:"data"`
		Error *refusal `json:"error"`
	}
	envelope.Data = into
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return fmt.Errorf("the server answered %d and not in a way that is understood", answer.StatusCode)
	}
	if envelope.Error != nil {
		envelope.Error.status = answer.StatusCode
		return envelope.Error
	}
	return nil
}

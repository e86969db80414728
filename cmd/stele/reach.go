package main

import (
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

// reach is a way to a running server: its address and a key for it.
type reach struct {
	url, key string
	client   *http.Client
}

// flags adds what says where the server is.
func (r *reach) flags(c *cobra.Command) {
	c.Flags().StringVar(&r.key, "key", "", "API key (default $STELE_API_KEY, else one made for this)")
	c.Flags().StringVar(&r.url, "url", "", "address of the server (default: the configured public URL)")
}

// open finds the server and a key for it that opens the groups. done gives back a
// key that was made.
func (r *reach) open(ctx context.Context, w world, cfg *config.Config, purpose string, groups ...access.Group) (done func(), err error) {
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
	who := access.CommandLine(access.DefaultWorkspace)
	k, secret, err := h.Access.CreateKey(ctx, who, access.NewKey{
		Name: purpose, Lifetime: 12 * time.Hour, Scope: access.Scope{Groups: groups},
	})
	if err != nil {
		h.Close()
		return nil, err
	}
	h.Settle(ctx)
	r.key = secret
	return func() {
		defer h.Close()
		_, _ = h.Access.RevokeKey(context.WithoutCancel(ctx), who, k.ID) // it expires anyway
	}, nil
}

// refusal is an error that the server answered with.
type refusal struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// do sends a request and reads the answer's data into it. A key that was just
// made may need a moment to be known.
func (r *reach) do(ctx context.Context, method, path string, header http.Header, body func() io.Reader, into any) error {
	for try := 0; ; try++ {
		err := r.once(ctx, method, path, header, body(), into)
		if refused, ok := err.(*refusal); !ok || refused.status != http.StatusUnauthorized || try == 10 { //nolint:errorlint // once gives it bare
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *reach) once(ctx context.Context, method, path string, header http.Header, body io.Reader, into any) error {
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

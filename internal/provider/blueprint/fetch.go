package blueprint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"stele/internal/media"
)

const (
	mostOutput = 4 << 30 // bytes of one output; the file room has limits of its own
	mostHops   = 5
)

// opener fetches an output from an address of the provider's.
func (m *Maker) opener(op *Operation, rule *Output, where string) opener {
	return func(ctx context.Context) (io.ReadCloser, error) {
		if !rule.Then.isGiven() {
			return m.download(ctx, op, rule, where)
		}
		a, err := m.caller.look(ctx, op, where)
		if err != nil {
			return nil, m.caller.lostFailure(err)
		}
		if !a.fine() {
			return nil, m.caller.refusalFailure(op, a, false)
		}
		if f := m.caller.failureInside(op, a, false); f != nil {
			return nil, f
		}
		further := rule.Then.text(a.doc)
		if further == "" {
			return nil, m.caller.failure(media.Gone, "", "", errors.New("the second answer has no address"))
		}
		return m.download(ctx, op, rule, further)
	}
}

// download opens an address. The key goes where the operator said the provider
// is, at every hop, and to its other hosts only where outputs need it; everything
// else is fetched as any client would.
func (m *Maker) download(ctx context.Context, op *Operation, rule *Output, where string) (io.ReadCloser, error) {
	var hosts []string
	if rule.Keyed {
		hosts = op.Hosts
	}
	u, err := m.caller.locate(where)
	if err != nil {
		return nil, m.caller.lostFailure(err)
	}
	for range mostHops {
		r, client, err := m.caller.request(ctx, op, http.MethodGet, u, hosts)
		if err != nil {
			return nil, m.caller.lostFailure(err)
		}
		res, err := client.Do(r)
		if err != nil {
			return nil, m.caller.lostFailure(err)
		}
		if res.StatusCode == http.StatusOK {
			return &bounded{body: res.Body, left: mostOutput, of: m}, nil
		}
		next, err := m.whereNext(res)
		_ = res.Body.Close()
		if err != nil {
			return nil, err
		}
		u = next
	}
	return nil, m.caller.lostFailure(errors.New("the output's address is moved on and on"))
}

// whereNext is where an answer that is not the output leads, or why it leads nowhere.
func (m *Maker) whereNext(res *http.Response) (*url.URL, error) {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		next, err := res.Location()
		if err != nil {
			return nil, m.caller.lostFailure(err)
		}
		if next.Scheme == "http" && res.Request.URL.Scheme == "https" {
			return nil, m.caller.lostFailure(errors.New("the output's address moves from https to http"))
		}
		return next, nil
	}
	cause := fmt.Errorf("fetch an output: HTTP %d", res.StatusCode)
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		// A signed address that has ended is refused in any of these ways.
		return nil, m.caller.failure(media.Gone, "", "", cause)
	}
	return nil, m.caller.lostFailure(cause)
}

// remint lets an output whose address has ended ask the provider for a new one,
// once.
func (m *Maker) remint(op *Operation, t *ticket, o *media.Output, place int) {
	if op.Submit.Whole {
		return
	}
	first := o.Open
	o.Open = func(ctx context.Context) (io.ReadCloser, error) {
		body, err := first(ctx)
		if err == nil || media.ToFailure(err).Class != media.Gone {
			return body, err
		}
		again, lookErr := m.poll(ctx, op, t, false)
		if lookErr != nil || again.State != media.Success || place >= len(again.Outputs) {
			return nil, err
		}
		return again.Outputs[place].Open(ctx)
	}
}

// bounded is a body that must not go on for ever. One that breaks off is a
// passing trouble.
type bounded struct {
	body io.ReadCloser
	left int64
	of   *Maker
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.of.caller.failure(media.ModelFailed, "", "", errors.New("the output is too large"))
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.body.Read(p)
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.of.caller.lostFailure(err)
	}
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }

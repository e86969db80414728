package blueprint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"stele/internal/provider/spool"
	"stele/internal/trace"
)

// caller makes the calls of an account.
type caller struct {
	base   *url.URL
	key    string
	client *http.Client // to the provider itself
	public *http.Client // to all others
}

// payload is what is sent. It can be opened once.
type payload struct {
	kind string // content type
	size int64
	open func(ctx context.Context) (io.ReadCloser, error)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte      // the beginning, where the whole is in file
	file   *spool.File // nil where body is the whole
	doc    any         // the body, where it is JSON
	values tally       // at most so many are in it
	id     string      // of the work it is about
}

func (a answer) fine() bool { return a.status >= 200 && a.status < 300 }

// locate is the URL of an address in a file or an answer.
func (c *caller) locate(address string) (*url.URL, error) {
	if strings.HasPrefix(address, "/") {
		address = strings.TrimSuffix(c.base.String(), "/") + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return nil, errors.New("the provider gave an address that is none")
	}
	return u, nil
}

// own reports whether a URL leads to the provider itself, which may see the key:
// to where the operator said it is, or, if that is one of its hosts, to another one.
// A key that was entered for some other server in front of it stays there.
func (c *caller) own(u *url.URL, hosts []string) bool {
	if u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host) {
		return true
	}
	return u.Scheme == "https" && c.base.Scheme == "https" && isAmong(u, hosts) && isAmong(c.base, hosts)
}

// isAmong reports whether a URL is at one of these hosts; *. stands for any below.
func isAmong(u *url.URL, hosts []string) bool {
	name := strings.ToLower(u.Host) // with a port it is none of them
	return slices.ContainsFunc(hosts, func(host string) bool {
		suffix, wide := strings.CutPrefix(host, "*")
		return name == host || wide && strings.HasSuffix(name, suffix)
	})
}

// request makes a request that carries the key where it may, and the client that
// is to send it.
func (c *caller) request(ctx context.Context, op *Operation, method string, u *url.URL, hosts []string) (*http.Request, *http.Client, error) {
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	if !c.own(u, hosts) {
		return r, c.public, nil
	}
	for name, value := range op.Headers {
		r.Header.Set(name, value)
	}
	trace.Inject(ctx, r.Header)
	if op.Auth.Header != "" && c.key != "" {
		r.Header.Set(op.Auth.Header, strings.ReplaceAll(op.Auth.Value, "{key}", c.key))
	}
	return r, c.client, nil
}

// look asks for an address and reads the answer. Its error means that none came.
func (c *caller) look(ctx context.Context, op *Operation, address string) (answer, error) {
	u, err := c.locate(address)
	if err != nil {
		return answer{}, err
	}
	r, client, err := c.request(ctx, op, http.MethodGet, u, op.Hosts)
	if err != nil {
		return answer{}, err
	}
	a, err := exchange(client, r, mostAnswer)
	if err == nil {
		err = a.read(ctx)
	}
	return a, err
}

// send sends a body, once. Its error means that no answer came; sent tells
// whether the provider may have got the whole body all the same. A large answer is not read.
func (c *caller) send(ctx context.Context, op *Operation, method, address string, p *payload) (got answer, sent bool, err error) {
	u, err := c.locate(address)
	if err != nil {
		return answer{}, false, err
	}
	var whole atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				whole.Store(true)
			}
		},
	})
	r, client, err := c.request(ctx, op, method, u, op.Hosts)
	if err != nil {
		return answer{}, false, err
	}
	if p != nil {
		body, err := p.open(ctx)
		if err != nil {
			return answer{}, false, err
		}
		// Without GetBody the transport has no second copy to send.
		r.Body, r.ContentLength = &watched{ReadCloser: body, left: p.size, whole: &whole}, p.size
		r.Header.Set("Content-Type", p.kind)
	}
	most := int64(mostAnswer)
	if op.Submit.Whole {
		most = mostWhole
	}
	got, err = exchange(client, r, most)
	return got, whole.Load(), err
}

// watched notices when the last of a body was handed over.
type watched struct {
	io.ReadCloser

	left  int64
	whole *atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.left -= int64(n); w.left <= 0 {
		w.whole.Store(true)
	}
	return n, err
}

// Package client calls a running Stele from outside, with a key and over the public
// routes, as any program of a developer's does. It must not know databases, the
// installation or who uses it.
package client

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/pause"
)

// largestAnswer bounds an answer that is read whole.
const largestAnswer = 64 << 20

// Server is a running Stele and a key for it.
type Server struct {
	URL  string // without a slash at its end
	Key  string
	HTTP *http.Client

	// Fresh says that the key was just made, so that the server may need a moment
	// to know it.
	Fresh bool
}

// Refusal is an error that the server answered with.
type Refusal struct {
	Status  int            `json:"-"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details jsontext.Value `json:"details,omitempty"`
}

func (r *Refusal) Error() string { return r.Message }

// Get reads the data of what is at a path.
func (s *Server) Get(ctx context.Context, path string, into any) error {
	return s.do(ctx, request{Method: http.MethodGet, Path: path}, into)
}

// Post sends a body to a path and reads the data of the answer.
func (s *Server) Post(ctx context.Context, path string, body []byte, into any) error {
	return s.do(ctx, request{Method: http.MethodPost, Path: path, Body: func() io.Reader { return bytes.NewReader(body) }}, into)
}

// request is one call.
type request struct {
	Method, Path string
	Header       http.Header
	Body         func() io.Reader // nil for none; called for each try
}

// do sends a request and reads the answer's data into it. What the server refuses is
// a *Refusal, bare.
func (s *Server) do(ctx context.Context, r request, into any) error {
	return s.tryUntilKnown(ctx, func() error {
		answer, err := s.send(ctx, r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(io.LimitReader(answer.Body, largestAnswer+1))
		if err != nil {
			return fmt.Errorf("read the server's answer: %w", err)
		}
		if len(raw) > largestAnswer {
			return fmt.Errorf("the server's answer is longer than %d MB", largestAnswer>>20)
		}
		return read(answer.StatusCode, raw, into)
	})
}

// send sends a request and gives the answer as it comes, errors included.
func (s *Server) send(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.Body != nil {
		body = r.Body()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, s.URL+r.Path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.Header)
	req.Header.Set("Authorization", "Bearer "+s.Key)
	answer, err := s.HTTP.Do(req)
	if _, untrusted := errors.AsType[x509.UnknownAuthorityError](err); untrusted {
		return nil, fmt.Errorf("reach the server: %w; SSL_CERT_FILE may name a file with the certificate of its authority", err)
	}
	if err != nil {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	return answer, nil
}

// read takes an answer's envelope off.
func read(status int, raw []byte, into any) error {
	envelope := struct {
		Data  any      `json:"data"`
		Error *Refusal `json:"error"`
	}{Data: into}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return fmt.Errorf("the server answered %d and not in a way that is understood", status)
	}
	if envelope.Error != nil {
		envelope.Error.Status = status
		return envelope.Error
	}
	if status >= http.StatusBadRequest {
		return fmt.Errorf("the server answered %d without a reason", status)
	}
	return nil
}

// readRefusal reads why the server does not stream.
func readRefusal(answer *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if err := read(answer.StatusCode, raw, nil); err != nil {
		return err
	}
	return fmt.Errorf("the server answered %d and does not stream", answer.StatusCode)
}

func (s *Server) tryUntilKnown(ctx context.Context, try func() error) error {
	return RetryUntilKnown(ctx, func() (again bool, err error) {
		err = try()
		refused, ok := err.(*Refusal) //nolint:errorlint // it comes bare
		return s.Fresh && ok && refused.Status == http.StatusUnauthorized, err
	})
}

// RetryUntilKnown tries again while the key is not known: one that was just made may
// need a moment.
func RetryUntilKnown(ctx context.Context, try func() (again bool, err error)) error {
	for n := 0; ; n++ {
		again, err := try()
		if !again || n == 10 {
			return err
		}
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

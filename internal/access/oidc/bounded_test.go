package oidc_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"stele/internal/access/oidc"
	"stele/internal/seal"
)

// endless answers everything with bytes without end, and counts them.
type endless struct{ read int }

func (e *endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(e), ContentLength: -1}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 64<<20 {
		return 0, io.ErrUnexpectedEOF
	}
	e.read += len(p)
	return len(p), nil
}

// A provider that does not stop talking is not listened to for long.
func TestAnEndlessProviderIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	e := new(endless)
	i := oidc.New(oidc.Options{URL: "https://id.example.com", ClientID: "c", Client: &http.Client{Transport: e}, Box: seal.New().Box("sign-on"), Now: time.Now})
	if _, _, err := i.Begin(t.Context(), back, "/console/"); err == nil || e.read > 2<<20 {
		t.Errorf("%d bytes were read: %v", e.read, err)
	}
}

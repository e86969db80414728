package oidc

import (
	"fmt"
	"io"
	"net/http"
)

// limitAnswers gives a client whose answers end: the library reads each of them whole. It asks for
// the provider's keys on behalf of all who wait, in no request's time: without an end of
// its own one silent answer would keep people out until the server is started again.
func limitAnswers(client *http.Client) *http.Client {
	own := *client
	own.Timeout = callTime
	own.Transport = shortAnswers{client.Transport}
	return &own
}

type shortAnswers struct{ next http.RoundTripper }

// RoundTrip asks, and gives an answer that fails beyond mostSaid bytes.
func (s shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.next.RoundTrip(r)
	if err == nil {
		answer.Body = &shortBody{answer.Body, mostSaid}
	}
	return answer, err
}

type shortBody struct {
	io.ReadCloser
	left int
}

func (b *shortBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", mostSaid)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

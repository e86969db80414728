package bridge_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/internal/bridge"
)

// lookingBack is a server that has answered before the way to it has looked for the end of
// the request's body, as net/http's Transport does after the last byte.
type lookingBack struct {
	asked    *http.Request
	pieces   []string
	atTheEnd error // what the look found
}

func (l *lookingBack) RoundTrip(r *http.Request) (*http.Response, error) {
	l.asked = r
	if _, err := io.ReadFull(r.Body, make([]byte, r.ContentLength)); err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {r.Header.Get("X-Request-Id")}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(l), ContentLength: -1, Request: r}, nil
}

// Read gives a piece of the answer. By the second one the first is with the client.
func (l *lookingBack) Read(p []byte) (int, error) {
	switch len(l.pieces) {
	case 0:
		return 0, io.EOF
	case 1:
		if _, l.atTheEnd = l.asked.Body.Read(make([]byte, 1)); l.atTheEnd != io.EOF {
			return 0, l.atTheEnd
		}
	}
	n := copy(p, l.pieces[0])
	l.pieces = l.pieces[1:]
	return n, nil
}

func TestAPassedAnswerIsWhole(t *testing.T) {
	t.Parallel()
	server := &lookingBack{pieces: []string{"data: one\n\n", "data: two\n\n"}}
	b := httptest.NewServer(bridge.New(bridge.Options{Server: "http://server", Key: key, Client: &http.Client{Transport: server}, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(b.Close)
	answer, err := http.Post(b.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m"}`)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "data: one\n\ndata: two\n\n" {
		t.Errorf("%q, %v (behind the request: %v)", body, err, server.atTheEnd)
	}
	if ids := answer.Header.Values("X-Request-Id"); len(ids) != 1 || ids[0] == "" {
		t.Errorf("the request is called %q", ids)
	}
}

package rig

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Answer is what came back, whole.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Get asks for a path with a key; "" sends none.
func (h *House) Get(t testing.TB, path, key string) Answer {
	t.Helper()
	return h.ask(t, h.keyed(t, "GET", path, key, ""))
}

// Post sends a JSON body to a path with a key; "" sends none.
func (h *House) Post(t testing.TB, path, key, body string) Answer {
	t.Helper()
	return h.ask(t, h.keyed(t, "POST", path, key, body))
}

// Request is a request to the house that the caller may still change.
func (h *House) Request(t testing.TB, method, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, h.URL+path, http.NoBody) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Send sends a request and reads the answer to its end.
func (h *House) Send(r *http.Request) (Answer, error) {
	response, err := h.Client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{response.StatusCode, response.Header, string(body)}, cmp.Or(err, findRepeats(response.Header))
}

// findRepeats reports a field that is said twice, in any answer of any test.
func findRepeats(h http.Header) error {
	for name, values := range h {
		if len(slices.Compact(slices.Sorted(slices.Values(values)))) < len(values) {
			return fmt.Errorf("the header says %s twice: %q", name, values)
		}
	}
	return nil
}

func (h *House) ask(t testing.TB, r *http.Request) Answer {
	t.Helper()
	a, err := h.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (h *House) keyed(t testing.TB, method, path, key, body string) *http.Request {
	t.Helper()
	r := h.Request(t, method, path)
	if body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

// Eventually waits for an event, with a deadline far beyond what it may take.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(Patience)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("did not happen within %s: %s", Patience, what)
		}
	}
}

package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
)

// TestAProblemNamesNoServerOfOurs reads what members of a workspace see of an attempt that failed.
func TestAProblemNamesNoServerOfOurs(t *testing.T) {
	t.Parallel()
	lookup := &net.DNSError{Err: "no such host", Name: "example.com", Server: "10.1.2.3:53", IsNotFound: true}
	for want, err := range map[string]error{
		"the name example.com cannot be looked up: no such host": &url.Error{Op: "Post", URL: "https://example.com/x?secret", Err: fmt.Errorf("resolve example.com: %w", lookup)},
		"connection refused": &url.Error{Op: "Post", URL: "https://example.com/x?secret", Err: errors.New("connection refused")},
		"it answered 500":    errors.New("it answered 500"),
	} {
		if got := problem(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

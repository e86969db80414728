package guard

import (
	"errors"
	"net/netip"
	"testing"
)

// From outside the last line cannot be reached, which is why it is tried here:
// as if everything before it had let the address through.
func TestLastLineHoldsOnItsOwn(t *testing.T) {
	t.Parallel()
	d := newDialer(Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}})
	for address, open := range map[string]bool{
		"127.0.0.1:80":          false,
		"[::1]:80":              false,
		"[::ffff:127.0.0.1]:80": false,
		"[fe80::1%lo]:80":       false,
		"localhost:80":          false,
		"/var/run/docker.sock":  false,
		"127.0.0.2:80":          true,
		"93.184.215.14:443":     true,
		"[2606:4700::1111]:443": true,
	} {
		err := d.lastLine(t.Context(), "tcp", address, nil)
		if open && err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if _, refused := errors.AsType[*Refused](err); !open && !refused {
			t.Errorf("%s: got %v, want a refusal", address, err)
		}
	}
	if _, err := d.net.DialContext(t.Context(), "tcp", "127.0.0.1:9"); !isRefused(err) {
		t.Errorf("dialled: %v", err)
	}
}

func isRefused(err error) bool {
	_, ok := errors.AsType[*Refused](err)
	return ok
}

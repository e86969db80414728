package bridge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// mostBody is how long a request may be. The server has limits of its own.
const mostBody = 64 << 20

// Listen opens an address of the loopback. Any other is refused: who reaches the bridge
// spends the developer's key.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is not host:port", address)
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("the bridge listens on loopback only, and %q is not: whoever reached it would spend your key", address)
	}
	return net.Listen("tcp", address)
}

func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

// admit keeps pages of the web out: one whose name was made to lead to the loopback by
// its Host, and any other by what browsers say of where a request comes from.
func admit(r *http.Request) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !isLoopback(host) {
		return fault.New(fault.PermissionDenied, "The bridge answers to localhost, not to %q.", r.Host)
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if len(r.Header.Values("Origin")) > 0 || site != "" && site != "none" {
		return fault.New(fault.PermissionDenied, "The bridge does not answer pages in a browser.")
	}
	return nil
}

// readChecked is readBody for a request that must be an object.
func readChecked(w http.ResponseWriter, c *call) ([]byte, error) {
	body, err := readBody(w, c)
	if err != nil {
		return nil, err
	}
	return body, dialect.CheckBody(body)
}

// readBody reads a request whole.
func readBody(w http.ResponseWriter, c *call) ([]byte, error) {
	plain, coding := http.MaxBytesReader(w, c.Body, mostBody), c.Header.Get("Content-Encoding")
	if unpacked, ok := wire.Unpack(coding, plain); ok {
		plain = http.MaxBytesReader(w, unpacked, mostBody)
	} else if coding != "" && coding != "identity" {
		return nil, fault.New(fault.UnsupportedContentType, "The bridge does not read bodies packed as %q.", coding)
	}
	c.Header.Del("Content-Encoding") // what is passed on is plain
	body, err := io.ReadAll(plain)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, fault.New(fault.BodyTooLarge, "The request body is longer than %d bytes.", mostBody)
	}
	if errors.Is(err, wire.ErrPacked) {
		return nil, fault.NotPacked(err)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequestBody, "The request body did not arrive.").Because(err)
	}
	return jsonscan.WithoutMark(body), nil
}

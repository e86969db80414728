package guard

import (
	"fmt"
	"net/netip"
)

// Refused says that guard will not go where a URL leads. It is never a network
// failure: the same request would be refused again. Find it with errors.AsType.
type Refused struct { //nolint:errname // what callers say: guard.Refused
	Host   string     // the host in the URL; empty when the URL has none to speak of
	Addr   netip.Addr // the address that decided it, for the log; invalid when none did
	Reason string     // completes "… is refused: "
}

// Error is one sentence that the author of the URL may read. It does not tell
// what the host resolved to: that may be the inside of the operator's network.
func (r *Refused) Error() string {
	if r.Host == "" {
		return "the URL is refused: " + r.Reason
	}
	return fmt.Sprintf("the URL with host %.260q is refused: %s", r.Host, r.Reason)
}

const (
	notPublic   = "its host is not a public address"
	notAURL     = "it is not a valid URL"
	tooLong     = "it is longer than 8192 bytes"
	badRune     = "it contains whitespace, a control character or a backslash"
	badScheme   = "only http and https are allowed"
	credentials = "it carries credentials"
	noHost      = "it names no host"
	badHost     = "its host is not a name in ASCII (xn-- for others) or an address"
	oddNumber   = "its host is an address in an unusual spelling"
	badPort     = "its port is not between 1 and 65535"
	tooMany     = "it redirects more than 5 times"
	downgrade   = "it redirects from https to http"
)

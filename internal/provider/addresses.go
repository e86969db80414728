package provider

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/guard"
)

const (
	mostHosts = 64               // that one request may name
	checkTime = 10 * time.Second // for all of them
)

// AddressChecker says whether an address from a caller may be fetched by an upstream
// that stands in the operator's own network. What it refuses is a *guard.Refused.
type AddressChecker interface {
	Check(ctx context.Context, address string) error
}

// WithChecker has the addresses in requests checked before an upstream that is not its
// vendor's own gets them: it would fetch them from inside the operator's network.
func (c *Chat) WithChecker(by AddressChecker) *Chat {
	if !c.account.vendors() {
		c.addresses = by
	}
	return c
}

// clouds are where kinds are at home that have no address of their own.
var clouds = []string{".azure.com", ".azure-api.net", ".microsoft.com", ".googleapis.com", ".amazonaws.com", ".amazonaws.com.cn", ".api.aws"}

// vendors reports whether an account's upstream is the one of its kind's vendor,
// rather than a server that the operator, or another company, runs.
func (a *Account) vendors() bool {
	host := hostOf(a.BaseURL)
	if home := hostOf(a.Kind.BaseURL); home != "" && host == home {
		return guardedHome(home)
	}
	if a.Kind.BaseURL == a.BaseURL && a.BaseURL != "" {
		return true // with options in it
	}
	if a.Kind.Genuine {
		for _, end := range clouds {
			if strings.HasSuffix(host, end) {
				return true
			}
		}
	}
	return false
}

// authors reports whether the upstream is the service of its dialect's author, or one
// that has the author's own models. Any other server, whatever its kind is called, gets
// only what compatible servers take, unless its operator says that it is a proxy.
func (a *Account) authors() bool {
	if !a.Kind.Author() || a.Kind.Genuine || a.Options[optionGenuine] == "true" {
		return a.Kind.Author()
	}
	_, domain, _ := strings.Cut(homes[a.Kind.Dialect], ".")
	return strings.HasSuffix(hostOf(a.BaseURL), "."+domain)
}

// isHome reports whether the upstream is the author's own service. Anthropic's keeps conversations
// that a client may go on with: clouds do not, and a compatible server may read over the field, which
// would leave it with the last turn alone. The list of homes is here alone.
func (c *Chat) isHome() bool { return c.authors && c.account.Kind.Platform == noPlatform }

// optionGenuine says that behind an address of the operator's is the author's service.
const optionGenuine = "genuine"

// homes are where the dialects' authors serve them.
var homes = map[string]string{"openai": "api.openai.com", "anthropic": "api.anthropic.com", "gemini": "generativelanguage.googleapis.com"}

// guardedHome reports whether a kind's usual address is on the internet. Those that
// operators run themselves are at home on loopback.
func guardedHome(host string) bool {
	_, err := guard.CheckPublic("http://"+host, nil)
	return err == nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// checkAddresses refuses a call with an address that the upstream must not fetch. What
// passes through has those of the client's own bytes, of which it is known whether they
// have any: no edit adds one but for the opening of an envelope.
func (c *Chat) checkAddresses(ctx context.Context, req *chat.Request, call *dialect.Outgoing) error {
	if c.addresses == nil {
		return nil
	}
	body := call.Body
	if facts := &req.Origin.Facts; req.PassesTo(c.dialect.Name()) && !facts.Envelopes {
		if !facts.Addresses {
			return nil
		}
		body = req.Origin.Body
	} else if call.Pieces != nil {
		call.Join()
		body = call.Body
	}
	return c.checkBody(ctx, body)
}

func (c *Chat) checkBody(ctx context.Context, body []byte) error {
	var hosts map[string]bool // made for the first address, as is the time: most requests have none
	cancel := context.CancelFunc(func() {})
	defer func() { cancel() }()
	return dialect.EachAddress(body, func(field, address string) error {
		if hosts == nil {
			hosts = make(map[string]bool)
			ctx, cancel = context.WithTimeout(ctx, checkTime) //nolint:gosec,fatcontext // made once, and ended above
		}
		hosts[hostOf(address)] = true
		if len(hosts) > mostHosts {
			return fault.New(fault.InvalidMediaURL, "%s: addresses at more than %d hosts in one request.", field, mostHosts).Field(field)
		}
		err := c.addresses.Check(ctx, address)
		if refused, ok := errors.AsType[*guard.Refused](err); ok {
			return fault.New(fault.InvalidMediaURL, "%s: the URL cannot be used: %s.", field, refused.Reason).Field(field).Because(err)
		}
		if err != nil {
			return fault.New(fault.InvalidMediaURL, "%s: the URL cannot be used: it could not be checked.", field).Field(field).Because(err)
		}
		return nil
	})
}

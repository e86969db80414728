package blueprint

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/provider"
)

// pings are addresses that cost nothing and want the key. A kind without one is
// only known to be reachable.
var pings = map[string]string{"replicate": "/account", "bfl": "/credits", "comfyui": "/system_stats"}

// Ping makes a call that costs nothing to see whether an account works.
func Ping(ctx context.Context, a provider.Account, client *http.Client) catalog.Trial {
	start := time.Now()
	all, err := operations()
	if err != nil {
		return catalog.Trial{Problem: "The kind cannot be read.", Err: err}
	}
	base, err := url.Parse(a.BaseURL)
	if err != nil {
		return catalog.Trial{Problem: "The base URL is no address.", Err: err}
	}
	d := &caller{base: base, key: a.Key, client: client, public: client}
	path, proves := pings[a.Kind.Name]
	for _, op := range all {
		if op.Kind != a.Kind.Name {
			continue
		}
		path = cmp.Or(path, "/")
		got, err := d.look(ctx, op, path)
		p := catalog.Trial{Status: got.status, Took: time.Since(start)}
		switch {
		case err != nil:
			p.Problem = provider.Explain(ctx, err)
			p.Err = fault.New(fault.UpstreamError, "%s", p.Problem).Because(err)
		case got.status == http.StatusUnauthorized, got.status == http.StatusForbidden:
			p.Problem = fmt.Sprintf("The provider refused the credentials (status %d). Check the API key.", got.status)
			p.Err = fault.New(fault.UpstreamError, "%s", p.Problem).OurCredentials()
		case got.status >= http.StatusInternalServerError:
			p.Problem = fmt.Sprintf("The provider has trouble of its own (status %d).", got.status)
			p.Err = fault.New(fault.UpstreamError, "%s", p.Problem)
		case proves && !got.fine():
			p.Problem = fmt.Sprintf("There is something else at this address (status %d). Check the base URL.", got.status)
			p.Err = fault.New(fault.UpstreamError, "%s", p.Problem)
		case proves:
			p.Did = "answered and took the key"
			if a.Key == "" {
				p.Did = "answered"
			}
		default:
			p.Did = "can be reached; nothing that costs nothing would check the key"
		}
		return p
	}
	return catalog.Trial{Problem: "Accounts of this kind make no media."}
}

package provider

import (
	"context"
	"net/http"
)

// signer proves to a cloud who asks, request by request. Its error is one that a
// client may see.
type signer interface {
	sign(ctx context.Context, r *http.Request, body rope) error
}

// forgetter is a signer that keeps a proof which may turn out to be no good.
type forgetter interface{ forget() }

// authorize puts the account's credentials into a request.
func (c *Chat) authorize(ctx context.Context, r *http.Request, body rope) error {
	switch header := c.account.Kind.Auth; {
	case c.signer != nil:
		return c.signer.sign(ctx, r, body)
	case c.account.Key == "":
	case header != "":
		r.Header.Set(header, c.account.Key)
	default:
		r.Header["Authorization"] = c.bearer
	}
	return nil
}

// unauthorized lets go of a proof that the cloud did not believe, so that the
// next request brings another.
func (c *Chat) unauthorized() {
	if f, ok := c.signer.(forgetter); ok {
		f.forget()
	}
}

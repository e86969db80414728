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
	if c.signer != nil {
		return c.signer.sign(ctx, r, body)
	}
	c.putKey(r.Header)
	return nil
}

// putKey puts the account's key into a header, if it has one.
func (c *Chat) putKey(h http.Header) {
	switch name := c.account.Kind.Auth; {
	case c.account.Key == "":
	case name != "":
		h.Set(name, c.account.Key)
	default:
		h["Authorization"] = []string{"Bearer " + c.account.Key}
	}
}

// dropProof lets go of a proof that the cloud did not believe, so that the
// next request brings another.
func (c *Chat) dropProof() {
	if f, ok := c.signer.(forgetter); ok {
		f.forget()
	}
}

// Package oidc asks an OpenID Connect provider who a person is: the code flow with
// PKCE, state and nonce. It knows the protocol and keeps nothing; who is let in is
// decided by package access. It reaches the provider only with the client that it
// is handed.
package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/seal"
)

const (
	ticketLife = 10 * time.Minute // how long a person may take at the provider
	callTime   = 15 * time.Second // for what is asked of the provider
	mostSaid   = 1 << 20          // bytes of an answer of the provider's
)

// Options is what an Issuer is made of.
type Options struct {
	URL      string // of the provider; its discovery document is below
	ClientID string
	Secret   string   // "" for a client that has none
	Scopes   []string // to ask for besides openid and email
	Client   *http.Client
	Box      *seal.Box // seals what the browser keeps meanwhile
	Now      func() time.Time
}

// Issuer is a provider. It is asked for its particulars when the first person
// comes, so that Stele starts without it. It is safe for concurrent use.
type Issuer struct {
	o        Options
	discover discovery
}

// New makes an Issuer. Nothing is asked of the provider yet.
func New(o Options) *Issuer {
	o.Client = limitAnswers(o.Client)
	i := &Issuer{o: o}
	i.discover = discovery{now: o.Now, ask: func(ctx context.Context) (*oidc.Provider, error) {
		ctx, cancel := i.context(ctx)
		defer cancel()
		return oidc.NewProvider(ctx, o.URL)
	}}
	return i
}

// Begin gives the provider's address to send a browser to, and a ticket for the
// browser to bring back with the answer. The provider sends it to redirect.
func (i *Issuer) Begin(ctx context.Context, redirect, next string) (address, ticket string, err error) {
	return i.begin(ctx, redirect, next)
}

// BeginAgain is Begin for a person who is to prove once more who they are: the
// provider must not take an earlier sign-in for it.
func (i *Issuer) BeginAgain(ctx context.Context, redirect, next string) (address, ticket string, err error) {
	return i.begin(ctx, redirect, next, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
}

func (i *Issuer) begin(ctx context.Context, redirect, next string, more ...oauth2.AuthCodeOption) (address, ticket string, err error) {
	ctx, cancel := i.context(ctx)
	defer cancel()
	p, err := i.provider(ctx)
	if err != nil {
		return "", "", err
	}
	t := newTicket(redirect, next, i.o.Now().Add(ticketLife))
	ticket, err = i.o.Box.SealText(t)
	if err != nil {
		return "", "", err
	}
	more = append(more, oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier))
	return i.config(p, redirect).AuthCodeURL(t.State, more...), ticket, nil
}

// Finish takes the answer that a browser brought back with its ticket and gives
// who that is, and where they wanted to go.
func (i *Issuer) Finish(ctx context.Context, redirect, sealed string, answer url.Values) (access.Identity, string, error) {
	t, err := openTicket(i.o.Box, sealed)
	if err != nil || i.o.Now().After(t.Until) || t.Redirect != redirect {
		return access.Identity{}, "", fault.New(fault.PermissionDenied, "The sign-in took too long, or was begun in another browser. Try again.").Because(err)
	}
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(t.State)) != 1 {
		return access.Identity{}, "", errDoubtful(errors.New("the state is not the one that was sent"))
	}
	if refusal := answer.Get("error"); refusal != "" {
		return access.Identity{}, "", fault.New(fault.PermissionDenied, "Your identity provider did not sign you in.").
			Because(fmt.Errorf("provider: %.100q: %.300q", refusal, answer.Get("error_description")))
	}
	ctx, cancel := i.context(ctx)
	defer cancel()
	p, err := i.provider(ctx)
	if err != nil {
		return access.Identity{}, "", err
	}
	token, err := i.config(p, redirect).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(t.Verifier))
	if err != nil {
		if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
			return access.Identity{}, "", errDoubtful(err)
		}
		return access.Identity{}, "", errAway(err)
	}
	who, err := i.identity(ctx, p, token, t.Nonce)
	return who, t.Next, err
}

// identity reads the token that the provider gave for the code.
func (i *Issuer) identity(ctx context.Context, p *oidc.Provider, token *oauth2.Token, nonce string) (access.Identity, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return access.Identity{}, errDoubtful(errors.New("the provider gave no id_token"))
	}
	id, err := p.Verifier(&oidc.Config{ClientID: i.o.ClientID, Now: i.o.Now}).Verify(ctx, raw)
	if err != nil {
		return access.Identity{}, errDoubtful(err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1 {
		return access.Identity{}, errDoubtful(errors.New("the nonce is not the one that was sent"))
	}
	var said claims
	if err := id.Claims(&said); err != nil {
		return access.Identity{}, errDoubtful(err)
	}
	if said.Email == "" { // some tell it only when asked again
		info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Subject != id.Subject {
			return access.Identity{}, errDoubtful(errors.Join(err, errors.New("the provider tells no address")))
		}
		said.Email, said.Verified = info.Email, yes(info.EmailVerified)
	}
	who := access.Identity{Subject: id.Issuer + " " + id.Subject, Email: said.Email, Verified: bool(said.Verified)}
	if said.AuthTime > 0 {
		who.AuthAt = time.Unix(said.AuthTime, 0)
	}
	return who, nil
}

// provider is what the provider tells of itself.
func (i *Issuer) provider(ctx context.Context) (*oidc.Provider, error) {
	p, err := i.discover.provider(ctx)
	if err != nil {
		return nil, errAway(err)
	}
	return p, nil
}

func (i *Issuer) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(oidc.ClientContext(ctx, i.o.Client), callTime)
}

func (i *Issuer) config(p *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: i.o.ClientID, ClientSecret: i.o.Secret, Endpoint: p.Endpoint(), RedirectURL: redirect,
		Scopes: append([]string{oidc.ScopeOpenID, "email"}, i.o.Scopes...),
	}
}

func errDoubtful(why error) *fault.Error {
	return fault.New(fault.PermissionDenied, "The answer of your identity provider cannot be trusted. Try again.").Because(why)
}

func errAway(why error) *fault.Error {
	return fault.New(fault.UpstreamError, "Your identity provider cannot be reached. Try again, or sign in with a password.").Because(why)
}

package provider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

const (
	googleScope  = "https://www.googleapis.com/auth/cloud-platform"
	googleTokens = "https://oauth2.googleapis.com/token" //nolint:gosec // where tokens are given out, not one of them
)

// googleAccount signs in to Google's cloud: a service account by a statement it
// signs itself, a person's account by the refresh token gcloud left. It is safe
// for concurrent use.
type googleAccount struct {
	tokens  tokens
	client  *http.Client
	project string // the service account's own
	source  func(context.Context) oauth2.TokenSource
}

// wireGoogle is a file of credentials as Google gives it out.
type wireGoogle struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientEmail  string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
}

func newGoogle(credentials string, client *http.Client, now func() time.Time) (*googleAccount, error) {
	var file wireGoogle
	if err := json.Unmarshal([]byte(credentials), &file); err != nil {
		return nil, errors.New("service_account is not the JSON of a key that Google gave out")
	}
	g := &googleAccount{client: client, project: file.ProjectID}
	g.tokens = tokens{fetch: g.fetch, now: now}
	file.TokenURI = cmp.Or(file.TokenURI, googleTokens)
	switch file.Type {
	case "service_account":
		if err := checkKey(file.PrivateKey); err != nil {
			return nil, fmt.Errorf("service_account: private_key: %w", err)
		}
		if file.ClientEmail == "" {
			return nil, errors.New("service_account: client_email is missing")
		}
		g.source = (&jwt.Config{
			Email: file.ClientEmail, PrivateKey: []byte(file.PrivateKey), PrivateKeyID: file.PrivateKeyID,
			Scopes: []string{googleScope}, TokenURL: file.TokenURI,
		}).TokenSource
	case "authorized_user":
		if file.RefreshToken == "" {
			return nil, errors.New("service_account: refresh_token is missing")
		}
		person := &oauth2.Config{
			ClientID: file.ClientID, ClientSecret: file.ClientSecret,
			Endpoint: oauth2.Endpoint{TokenURL: file.TokenURI, AuthStyle: oauth2.AuthStyleInParams},
		}
		g.source = func(ctx context.Context) oauth2.TokenSource {
			return person.TokenSource(ctx, &oauth2.Token{RefreshToken: file.RefreshToken})
		}
	default:
		return nil, fmt.Errorf("service_account: the type %q is not known; service_account and authorized_user are", file.Type)
	}
	return g, nil
}

// checkKey says what is wrong with an RSA key, in PKCS #8 or PKCS #1: the library would
// say so at the first request only.
func checkKey(text string) error {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return errors.New("no PEM block")
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return errors.New("not a private key")
	}
	if _, ok := key.(*rsa.PrivateKey); !ok {
		return errors.New("not an RSA key")
	}
	return nil
}

func (g *googleAccount) sign(ctx context.Context, r *http.Request, _ rope) error {
	token, err := g.tokens.get(ctx)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return nil
}

func (g *googleAccount) forget() { g.tokens.forget() }

// fetch asks for a token and says how long it is good for.
func (g *googleAccount) fetch(ctx context.Context) (string, time.Duration, error) {
	post := &tokenPost{ctx: ctx, next: g.client.Transport}
	client := *g.client
	client.Transport = post
	token, err := g.source(context.WithValue(ctx, oauth2.HTTPClient, &client)).Token()
	switch {
	case post.err != nil:
		return "", 0, unreachable(post.err)
	case post.status >= http.StatusInternalServerError, post.status == http.StatusTooManyRequests:
		return "", 0, fault.New(fault.Unavailable, "The model's provider is overloaded.").Because(post.refusal())
	case err != nil && post.status == 0:
		return "", 0, fmt.Errorf("sign in to google: %w", err)
	case err != nil, token.AccessToken == "":
		return "", 0, dialect.BadCredentials().Because(post.refusal())
	}
	return token.AccessToken, min(max(time.Until(token.Expiry), 0), 24*time.Hour), nil
}

// tokenPost sends the library's one request within ctx, which the library forgets, and
// keeps what came of it: of an error the library passes on its text only.
type tokenPost struct {
	ctx    context.Context //nolint:containedctx // http.RoundTripper has no other place for it
	next   http.RoundTripper
	err    error // the upstream was not reached, or broke off
	status int
	body   []byte
}

func (p *tokenPost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(p.ctx)
	r.Header["User-Agent"] = userAgent
	answer, err := p.next.RoundTrip(r)
	if err != nil {
		p.err = &url.Error{Op: "Post", URL: r.URL.Redacted(), Err: err}
		return nil, err
	}
	p.status = answer.StatusCode
	p.body, p.err = io.ReadAll(io.LimitReader(answer.Body, mostError))
	_ = answer.Body.Close()
	if p.err != nil {
		return nil, p.err
	}
	answer.Body = io.NopCloser(bytes.NewReader(p.body))
	answer.Header.Set("Content-Type", "application/json") // the library reads text/plain as a form
	return answer, nil
}

// refusal is why a token was not given, for the log. A token is never in it.
func (p *tokenPost) refusal() error {
	said, _ := jsonscan.Parse(p.body, jsonscan.Lenient) // what is no JSON says nothing
	return fmt.Errorf("sign in to google: status %d: %s: %.500s", p.status, said.Get("error").View(), said.Get("error_description").View())
}

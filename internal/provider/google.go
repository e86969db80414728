package provider

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stele/internal/dialect"
	"stele/internal/fault"
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
	now     func() time.Time
	project string // the service account's own
	file    wireGoogle
	key     *rsa.PrivateKey // nil for a person
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
	g := &googleAccount{client: client, now: now}
	g.tokens = tokens{fetch: g.fetch, now: now}
	if err := json.Unmarshal([]byte(credentials), &g.file); err != nil {
		return nil, errors.New("service_account is not the JSON of a key that Google gave out")
	}
	g.project = g.file.ProjectID
	g.file.TokenURI = cmp.Or(g.file.TokenURI, googleTokens)
	switch g.file.Type {
	case "service_account":
		var err error
		if g.key, err = readKey(g.file.PrivateKey); err != nil {
			return nil, fmt.Errorf("service_account: private_key: %w", err)
		}
		if g.file.ClientEmail == "" {
			return nil, errors.New("service_account: client_email is missing")
		}
	case "authorized_user":
		if g.file.RefreshToken == "" {
			return nil, errors.New("service_account: refresh_token is missing")
		}
	default:
		return nil, fmt.Errorf("service_account: the type %q is not known; service_account and authorized_user are", g.file.Type)
	}
	return g, nil
}

// readKey reads an RSA key, as PKCS #8 or as PKCS #1.
func readKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("not a private key")
	}
	own, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("not an RSA key")
	}
	return own, nil
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
	form, err := g.grant()
	if err != nil {
		return "", 0, fmt.Errorf("sign in to google: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.file.TokenURI, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, fmt.Errorf("sign in to google: %w", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header["User-Agent"] = userAgent
	answer, err := g.client.Do(r)
	if err != nil {
		return "", 0, unreachable(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostError))
	if err != nil {
		return "", 0, fault.New(fault.UpstreamError, "The model's provider could not be reached.").Because(err)
	}
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	switch err := json.Unmarshal(body, &token); {
	case answer.StatusCode >= http.StatusInternalServerError, answer.StatusCode == http.StatusTooManyRequests:
		return "", 0, fault.New(fault.Unavailable, "The model's provider is overloaded.").Because(signInError(answer.StatusCode, body))
	case answer.StatusCode != http.StatusOK, err != nil, token.AccessToken == "":
		return "", 0, dialect.BadCredentials().Because(signInError(answer.StatusCode, body))
	}
	return token.AccessToken, time.Duration(min(max(token.ExpiresIn, 0), 86400)) * time.Second, nil
}

// signInError is why a token was not given, for the log. A token is never in it.
func signInError(status int, body []byte) error {
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &said)
	return fmt.Errorf("sign in to google: status %d: %s: %.500s", status, said.Error, said.Description)
}

// grant is what a token is asked for with.
func (g *googleAccount) grant() (url.Values, error) {
	if g.key == nil {
		return url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {g.file.RefreshToken},
			"client_id": {g.file.ClientID}, "client_secret": {g.file.ClientSecret},
		}, nil
	}
	now := g.now()
	head := fmt.Appendf(nil, `{"alg":"RS256","typ":"JWT","kid":%s}`, quoted(g.file.PrivateKeyID))
	claims := fmt.Appendf(nil, `{"iss":%s,"scope":"%s","aud":%s,"iat":%d,"exp":%d}`,
		quoted(g.file.ClientEmail), googleScope, quoted(g.file.TokenURI), now.Unix(), now.Add(time.Hour).Unix())
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, g.key, crypto.SHA256, sum[:])
	if err != nil {
		return nil, err
	}
	return url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
		"assertion":  {text + "." + base64.RawURLEncoding.EncodeToString(signature)},
	}, nil
}

func quoted(text string) []byte { return dialect.AppendText(nil, text) }

// Package oidctest is an OpenID Connect provider for tests: it discovers, signs
// with a key of its own and checks what a real one would check. It can be told to
// lie.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"

	"stele/internal/uid"
)

// The client that the provider knows.
const (
	ClientID = "stele"
	Secret   = "client secret"
)

// Person is who signs in at the provider.
type Person struct {
	Subject  string
	Email    string
	Verified any  // true, "true", or whatever else a provider may say
	Shy      bool // the address is told only by userinfo
}

// Provider is a running provider.
type Provider struct {
	*httptest.Server

	Now func() time.Time
	key *rsa.PrivateKey

	mu     sync.Mutex // guards what follows
	Who    Person
	Change func(claims map[string]any) // what the token says is changed by it
	Signer *rsa.PrivateKey             // nil: the provider's own
	asked  map[string]url.Values       // by code
	seen   []string                    // paths that were asked for
}

// New starts a provider that ends with the test.
func New(t *testing.T) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{Now: time.Now, key: key, asked: make(map[string]url.Values)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discover)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r.URL.Path)
		p.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// Seen lists the paths that were asked for.
func (p *Provider) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// Answer is what the provider sends a browser back with, that came to address.
func (p *Provider) Answer(t *testing.T, address string) *url.URL {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Client().Transport.RoundTrip(r) // which follows no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := res.Location()
	if err != nil {
		t.Fatalf("the provider answered %d: %v", res.StatusCode, err)
	}
	return back
}

func (p *Provider) discover(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("state") == "" || q.Get("nonce") == "" || !strings.Contains(q.Get("scope"), "openid email") {
		http.Error(w, "not a proper request", http.StatusBadRequest)
		return
	}
	code := uid.Secret(16)
	p.mu.Lock()
	p.asked[code] = q
	p.mu.Unlock()
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	} else {
		secret, _ = url.QueryUnescape(secret)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.asked[r.PostFormValue("code")]
	delete(p.asked, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if q == nil || id != ClientID || secret != Secret || r.PostFormValue("redirect_uri") != q.Get("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "sub": p.Who.Subject, "nonce": q.Get("nonce"),
		"iat": p.Now().Unix(), "exp": p.Now().Add(time.Minute).Unix(),
	}
	if !p.Who.Shy {
		claims["email"], claims["email_verified"] = p.Who.Email, p.Who.Verified
	}
	if p.Change != nil {
		p.Change(claims)
	}
	signed, err := p.sign(claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 60, "id_token": signed})
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	key := p.key
	if p.Signer != nil {
		key = p.Signer
	}
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", "1")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, options)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer opaque" {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	answer(w, http.StatusOK, map[string]any{"sub": p.Who.Subject, "email": p.Who.Email, "email_verified": p.Who.Verified})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v, json.Deterministic(true))
}

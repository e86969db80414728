package provider

import (
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
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
)

// tokenHouse is Google's token endpoint: it checks the statement and gives out
// tokens.
type tokenHouse struct {
	*httptest.Server

	key    *rsa.PrivateKey
	given  atomic.Int64
	answer func(w http.ResponseWriter) bool // nil, or what it answers instead
}

func newTokenHouse(t *testing.T) *tokenHouse {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	h := &tokenHouse{key: key}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.answer != nil && h.answer(w) {
			return
		}
		if why := h.check(r); why != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"` + why + `"}`))
			return
		}
		h.given.Add(1)
		_, _ = w.Write([]byte(`{"access_token":"ya29.good","expires_in":3599,"token_type":"Bearer"}`))
	}))
	t.Cleanup(h.Close)
	return h
}

// check looks at a statement as Google documents it.
func (h *tokenHouse) check(r *http.Request) string {
	if r.Method != http.MethodPost || r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return "grant"
	}
	parts := strings.Split(r.FormValue("assertion"), ".")
	if len(parts) != 3 {
		return "parts"
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return "signature"
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(&h.key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return "signature"
	}
	var head struct{ Alg, Typ, Kid string }
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	for i, into := range []any{&head, &claims} {
		text, _ := base64.RawURLEncoding.DecodeString(parts[i])
		if json.Unmarshal(text, into) != nil {
			return "json"
		}
	}
	now := time.Now().Unix()
	switch {
	case head.Alg != "RS256" || head.Typ != "JWT" || head.Kid != "key-1":
		return "head"
	case claims.Iss != "stele@proj-4711.example.com", claims.Scope != "https://www.googleapis.com/auth/cloud-platform", claims.Aud != h.URL+"/token":
		return "claims"
	case claims.Exp-claims.Iat > 3600, claims.Iat > now+60, claims.Exp < now:
		return "times"
	}
	return ""
}

// credentials are the service account's file.
func (h *tokenHouse) credentials() string {
	der, _ := x509.MarshalPKCS8PrivateKey(h.key)
	key, _ := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	return `{"type":"service_account","project_id":"proj-4711","private_key_id":"key-1","client_email":"stele@proj-4711.example.com",` +
		`"private_key":` + string(key) + `,"token_uri":"` + h.URL + `/token"}`
}

func TestAServiceAccountSignsInByItsOwnStatement(t *testing.T) {
	t.Parallel()
	h := newTokenHouse(t)
	g, err := newGoogle(h.credentials(), h.Client(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	if err := g.sign(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer ya29.good" || g.project != "proj-4711" {
		t.Error(got, g.project)
	}
}

func TestAPersonSignsInByARefreshToken(t *testing.T) {
	t.Parallel()
	house := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") == "1//r" && r.FormValue("client_id") == "c" && r.FormValue("client_secret") == "s" {
			_, _ = w.Write([]byte(`{"access_token":"ya29.person","expires_in":3599}`))
		}
	}))
	t.Cleanup(house.Close)
	g, err := newGoogle(`{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"1//r","token_uri":"`+house.URL+`"}`, house.Client(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	if err := g.sign(t.Context(), r, nil); err != nil || r.Header.Get("Authorization") != "Bearer ya29.person" {
		t.Error(err, r.Header)
	}
}

func TestSaysWhatIsWrongWithAServiceAccount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "not the JSON", "[]": "not the JSON", "{}": `the type "" is not known`,
		`{"type":"external_account"}`:                                                         "not known",
		`{"type":"service_account","client_email":"a"}`:                                       "no PEM block",
		`{"type":"service_account","private_key":"-----BEGIN X-----\nAA==\n-----END X-----"}`: "not a private key",
		`{"type":"authorized_user"}`:                                                          "refresh_token is missing",
	} {
		if _, err := newGoogle(text, nil, time.Now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestARefusedSignInIsNotTheClientsFault(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer      func(w http.ResponseWriter) bool
		code        fault.Code
		credentials bool
	}{
		"refused": {func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`))
			return true
		}, fault.UpstreamError, true},
		"no token in it": {func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(`{"id_token":"x"}`))
			return true
		}, fault.UpstreamError, true},
		"overloaded": {func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, fault.Unavailable, false},
	}
	for name, test := range tests {
		h := newTokenHouse(t)
		h.answer = test.answer
		g, err := newGoogle(h.credentials(), h.Client(), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		err = g.sign(t.Context(), httptest.NewRequest(http.MethodPost, "/", nil), nil)
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != test.code || e.Credentials != test.credentials {
			t.Errorf("%s: %v", name, err)
		}
		if ok && strings.Contains(e.Message, "JWT") {
			t.Errorf("%s: the client is told %q", name, e.Message)
		}
	}
}

// The library passes neither on: what was wrong with the way there, and when to give up.
func TestASignInThatReachesNothingSaysSoInTime(t *testing.T) {
	t.Parallel()
	h := newTokenHouse(t)
	g, err := newGoogle(h.credentials(), h.Client(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := g.fetch(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that has ended: %v", err)
	}
	h.Close()
	_, _, err = g.fetch(t.Context())
	if e, ok := errors.AsType[*fault.Error](err); !ok || !e.Unreached || e.Credentials {
		t.Errorf("nothing listens: %v", err)
	}
}

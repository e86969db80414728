package oidc_test

import (
	"crypto/rand"
	"crypto/rsa"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/access/oidc"
	"stele/internal/access/oidc/oidctest"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/seal"
)

const back = "https://stele.example.com/console/oidc/callback"

func issuer(p *oidctest.Provider, now func() time.Time) *oidc.Issuer {
	return oidc.New(oidc.Options{
		URL: p.URL, ClientID: oidctest.ClientID, Secret: oidctest.Secret, Scopes: []string{"profile"},
		Client: guard.Operator(guard.Options{}), Box: seal.New().Box("sign-on"), Now: now,
	})
}

var ada = oidctest.Person{Subject: "7", Email: "ada@example.com", Verified: true}

func TestSomebodySignsIn(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]oidctest.Person{
		"plain":      ada,
		"as text":    {Subject: "7", Email: "ada@example.com", Verified: "true"},
		"asked for":  {Subject: "7", Email: "ada@example.com", Verified: true, Shy: true},
		"unverified": {Subject: "7", Email: "ada@example.com", Verified: false},
		"no word":    {Subject: "7", Email: "ada@example.com", Verified: nil},
		"odd word":   {Subject: "7", Email: "ada@example.com", Verified: "perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := oidctest.New(t)
			p.Who = who
			i := issuer(p, time.Now)
			if len(p.Seen()) != 0 {
				t.Error("the provider was asked before anybody came")
			}
			address, ticket, err := i.Begin(t.Context(), back, "/console/keys")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(address, oidctest.Secret) || strings.Contains(address, ticket) {
				t.Error("the address tells a secret")
			}
			got, next, err := i.Finish(t.Context(), back, ticket, p.Answer(t, address).Query())
			want := access.Identity{Subject: p.URL + " 7", Email: "ada@example.com", Verified: who.Verified == true || who.Verified == "true"}
			if got != want || next != "/console/keys" || err != nil {
				t.Errorf("%+v, %s, %v", got, next, err)
			}
		})
	}
}

// Each of them is one attack, or one mistake, that must not let a stranger in.
func TestDoubtfulAnswersAreRefused(t *testing.T) {
	t.Parallel()
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Change = func(c map[string]any) { c[name] = value } }
	}
	for name, test := range map[string]struct {
		provider func(*oidctest.Provider)
		answer   func(url.Values)
		ticket   func(string) string
		later    time.Duration
		code     fault.Code
	}{
		"wrong nonce":     {provider: set("nonce", "another")},
		"no nonce":        {provider: set("nonce", "")},
		"wrong audience":  {provider: set("aud", "another client")},
		"wrong issuer":    {provider: set("iss", "https://elsewhere.example.com")},
		"expired":         {provider: set("exp", time.Now().Add(-time.Minute).Unix())},
		"wrong key":       {provider: func(p *oidctest.Provider) { p.Signer = stranger }},
		"wrong state":     {answer: func(q url.Values) { q.Set("state", "another") }},
		"no state":        {answer: func(q url.Values) { q.Del("state") }},
		"wrong code":      {answer: func(q url.Values) { q.Set("code", "another") }},
		"refused":         {answer: func(q url.Values) { q.Set("error", "access_denied") }},
		"no ticket":       {ticket: func(string) string { return "" }},
		"made-up ticket":  {ticket: func(string) string { return strings.Repeat("A", 200) }},
		"another browser": {ticket: func(string) string { return "other" }},
		"too late":        {later: 11 * time.Minute},
		"provider gone":   {provider: func(p *oidctest.Provider) { p.Close() }, code: fault.UpstreamError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := oidctest.New(t)
			p.Who = ada
			now := time.Now()
			i := issuer(p, func() time.Time { return now })
			address, ticket, err := i.Begin(t.Context(), back, "/console/")
			if err != nil {
				t.Fatal(err)
			}
			_, others, err := i.Begin(t.Context(), back, "/console/")
			if err != nil {
				t.Fatal(err)
			}
			answer := p.Answer(t, address).Query()
			if test.provider != nil {
				test.provider(p)
			}
			if test.answer != nil {
				test.answer(answer)
			}
			if test.ticket != nil {
				if ticket = test.ticket(ticket); ticket == "other" {
					ticket = others
				}
			}
			now = now.Add(test.later)
			who, _, err := i.Finish(t.Context(), back, ticket, answer)
			want := test.code
			if want == "" {
				want = fault.PermissionDenied
			}
			if who != (access.Identity{}) || err == nil || fault.From(err).Code != want {
				t.Errorf("%+v, %v", who, err)
			}
		})
	}
}

func TestACodeIsGoodOnce(t *testing.T) {
	t.Parallel()
	p := oidctest.New(t)
	p.Who = ada
	i := issuer(p, time.Now)
	address, ticket, err := i.Begin(t.Context(), back, "")
	if err != nil {
		t.Fatal(err)
	}
	answer := p.Answer(t, address).Query()
	if _, _, err := i.Finish(t.Context(), back, ticket, answer); err != nil {
		t.Fatal(err)
	}
	if _, _, err := i.Finish(t.Context(), back, ticket, answer); err == nil {
		t.Error("a code was good twice")
	}
}

func TestAProviderThatWasAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	p := oidctest.New(t)
	var mu sync.Mutex
	now := time.Now()
	i := oidc.New(oidc.Options{
		URL: p.URL + "/elsewhere", ClientID: oidctest.ClientID, Client: guard.Operator(guard.Options{}), Box: seal.New().Box("x"),
		Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now },
	})
	for range 2 {
		mu.Lock()
		now = now.Add(10 * time.Second) // not at once
		mu.Unlock()
		if _, _, err := i.Begin(t.Context(), back, ""); err == nil || fault.From(err).Code != fault.UpstreamError {
			t.Errorf("a provider that is not there: %v", err)
		}
	}
	if asked := slices.DeleteFunc(p.Seen(), func(path string) bool { return !strings.Contains(path, "elsewhere") }); len(asked) != 2 {
		t.Errorf("asked %v", asked)
	}
}

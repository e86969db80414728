package main

import (
	"errors"
	"net/http"

	"stele/internal/config"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/guard"
	"stele/internal/provider"
	"stele/internal/relay"
)

// dialects are the chat APIs that upstreams may speak.
func dialects() map[string]dialect.Dialect {
	list := make(map[string]dialect.Dialect)
	for _, d := range []dialect.Dialect{openai.Codec{}, anthropic.Codec{}, gemini.Codec{}} {
		list[d.Name()] = d
	}
	return list
}

// outside is the HTTP client for everything the operator configured.
func outside(cfg *config.Config, w world) (*http.Client, error) {
	roots, err := guard.Roots(cfg.Egress.CAFile)
	if err != nil {
		return nil, err
	}
	return guard.Operator(guard.Options{
		RootCAs: roots, Proxy: guard.ProxyFromEnvironment(w.getenv), DisableCompression: true,
	}), nil
}

// openUpstreams makes the clients of all configured accounts that speak a chat
// dialect, and of what is built in, or says what any of the accounts lacks.
func openUpstreams(cfg *config.Config, client *http.Client, callers provider.AddressChecker, builtin relay.Upstream) (map[string]relay.Upstream, error) {
	list := map[string]relay.Upstream{config.Builtin: builtin}
	speaks := dialects()
	var problems []error
	for _, p := range cfg.Providers {
		account := accountOf(p)
		d, ok := speaks[account.Kind.Dialect]
		if !ok {
			continue
		}
		upstream, err := provider.Open(account, d, client)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list[p.Name] = upstream.Guarded(callers)
	}
	return list, errors.Join(problems...)
}

// accountOf is a configured provider as those see it who speak to it.
func accountOf(p config.Provider) provider.Account {
	account := provider.Account{Name: p.Name, BaseURL: p.BaseURL, Key: p.APIKey.Reveal(), Options: make(map[string]string, len(p.Options))}
	for _, k := range provider.Kinds() {
		if k.Name == p.Kind {
			account.Kind = k
		}
	}
	for name, value := range p.Options {
		account.Options[name] = value.Reveal()
	}
	return account
}

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
func openUpstreams(cfg *config.Config, client *http.Client, builtin relay.Upstream) (map[string]relay.Upstream, error) {
	list := map[string]relay.Upstream{config.Builtin: builtin}
	kinds := make(map[string]provider.Kind)
	for _, k := range provider.Kinds() {
		kinds[k.Name] = k
	}
	speaks := dialects()
	var problems []error
	for _, p := range cfg.Providers {
		kind := kinds[p.Kind]
		d, ok := speaks[kind.Dialect]
		if !ok {
			continue
		}
		options := make(map[string]string, len(p.Options))
		for name, value := range p.Options {
			options[name] = value.Reveal()
		}
		upstream, err := provider.Open(provider.Account{
			Name: p.Name, Kind: kind, BaseURL: p.BaseURL, Key: p.APIKey.Reveal(), Options: options,
		}, d, client)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list[p.Name] = upstream
	}
	return list, errors.Join(problems...)
}

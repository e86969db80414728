package assembly

import (
	"net/http"

	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/provider"
	"stele/internal/supply"
)

// OperatorClient is the HTTP client for everything the operator configured.
func OperatorClient(cfg *config.Config, getenv func(string) string) (*http.Client, error) {
	options, err := egressOptions(cfg, getenv)
	if err != nil {
		return nil, err
	}
	options.DisableCompression = true
	return guard.Operator(options), nil
}

func egressOptions(cfg *config.Config, getenv func(string) string) (guard.Options, error) {
	roots, err := guard.Roots(cfg.Egress.CAFile)
	return guard.Options{RootCAs: roots, Proxy: guard.ProxyFromEnvironment(getenv)}, err
}

// Egress opens the clients for what callers name.
func (c connector) Egress(cfg *config.Config) (supply.EgressClients, error) {
	options, err := egressOptions(cfg, c.getenv)
	if err != nil {
		return supply.EgressClients{}, err
	}
	options.AllowPrivate = cfg.Egress.AllowPrivate
	client, checker := guard.Caller(options), guard.NewChecker(options)
	options.Stay = true
	return supply.EgressClients{
		Inputs: provider.NewInputs(client, provider.Allowance{
			On: cfg.Egress.FetchInputs, Image: int64(cfg.Limits.Image), Video: int64(cfg.Limits.Video),
			Audio: int64(cfg.Limits.Audio), Document: int64(cfg.Limits.Document),
		}),
		Callers: client, Receivers: guard.Caller(options), Checker: checker,
	}, nil
}

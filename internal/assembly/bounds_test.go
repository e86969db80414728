package assembly

import (
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/server"
	"stele/internal/supply"
)

// TestBrowsersAreToldToComeOverTLSOnly where the address people use is one of TLS.
func TestBrowsersAreToldToComeOverTLSOnly(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	for address, want := range map[string]time.Duration{
		"": 0, "http://127.0.0.1:8080": 0, "https://ai.example.com": cfg.HSTS, "https://ai.example.com/stele": cfg.HSTS,
	} {
		if got := hsts(cfg, address); got != want || cfg.HSTS == 0 {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
	cfg.HSTS = 0
	if hsts(cfg, "https://ai.example.com") != 0 {
		t.Error("it cannot be switched off")
	}
}

// TestConnectionsAreBoundedWithoutASetting: one address never has them all.
func TestConnectionsAreBoundedWithoutASetting(t *testing.T) {
	t.Parallel()
	bounds := func(cfg *config.Config) server.Bounds {
		r := newRuntime(Process{}, cfg)
		r.supply = supply.New(supply.Options{File: cfg, Connector: connector{}, Catalog: catalog.New()})
		return r.bounds()
	}
	if b := bounds(config.Default()); b.Connections < 64 || b.Connections > 8192 || b.PerAddress*2 > b.Connections+1 || b.PerAddress < 1 {
		t.Errorf("%+v", b)
	}
	cfg := config.Default()
	cfg.Limits.Connections, cfg.Limits.ConnectionsPerAddress = 100_000, 7
	if b := bounds(cfg); b.Connections != 100_000 || b.PerAddress != 7 {
		t.Errorf("%+v", b)
	}
}

package config_test

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stele/internal/config"
	"stele/internal/manifest"
	"stele/internal/price"
)

// secrets are compared by what they hold.
var byContent = cmp.Options{
	cmp.Comparer(func(a, b *price.Sheet) bool { return a.Text() == b.Text() }),
	cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() }),
	cmpopts.EquateComparable(netip.Prefix{}),
	cmpopts.IgnoreFields(config.Config{}, "File", "ModTime"),
}

func TestWithoutAnythingTheDefaultsHold(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(config.Sources{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Default(), cfg, byContent); diff != "" {
		t.Error(diff)
	}
	if cfg.File != "" || !cfg.ModTime.IsZero() {
		t.Errorf("file %q, changed %s", cfg.File, cfg.ModTime)
	}
}

func TestAnEmptyFileChangesNothing(t *testing.T) {
	t.Parallel()
	cfg := load(t, "# nothing yet\nproviders:\nmodels:\n", nil)
	if diff := cmp.Diff(config.Default(), cfg, byContent); diff != "" {
		t.Error(diff)
	}
	if filepath.Base(cfg.File) != "stele.yaml" || cfg.ModTime.IsZero() {
		t.Errorf("file %q, changed %s", cfg.File, cfg.ModTime)
	}
}

func TestReadsProvidersAndModelsInOrder(t *testing.T) {
	t.Parallel()
	cfg := load(t, `
providers:
  zeta:
    kind: openai
    api_key: ${KEY}
    models: [gpt-5, "*"]
    options: {region: eu}
  alpha: {kind: azure, base_url: "https://a.example.com/v1/", api_key_file: secret}
models:
  z: {targets: [zeta/org/model, stele/echo]}
  acme/claude:
    name: Claude
    description: For long documents.
    targets:
      - {provider: alpha, model: claude, weight: 3}
      - {provider: zeta, model: claude}
    strategy: balance
    retries: 0
    capabilities: {tools: true, reasoning: false}
    tags: [long]
    timeouts: {gap: 5s}
    price: {input: 3, cached_input: 0.3}
    hide_upstream: true
`, map[string]string{"KEY": "sk-1"})
	wantProviders := config.Providers{
		{Name: "zeta", Kind: "openai", BaseURL: "https://api.openai.com/v1", APIKey: "sk-1", Models: []string{"gpt-5", "*"}, Options: map[string]config.Secret{"region": "eu"}},
		{Name: "alpha", Kind: "azure", BaseURL: "https://a.example.com/v1", APIKey: "sk-from-a-file", APIKeyFile: filepath.Join(filepath.Dir(cfg.File), "secret")},
	}
	if diff := cmp.Diff(wantProviders, cfg.Providers, byContent); diff != "" {
		t.Error(diff)
	}
	wantModels := config.Models{
		{
			ID: "z", Strategy: config.Fallback, Retries: 2,
			Targets:  []config.Target{{Provider: "zeta", Model: "org/model", Weight: 1}, {Provider: "stele", Model: "echo", Weight: 1}},
			Timeouts: config.Timeouts{FirstByte: 2 * time.Minute, Gap: 2 * time.Minute, Total: 30 * time.Minute},
		},
		{
			ID: "acme/claude", Name: "Claude", Description: "For long documents.", Strategy: config.Balance,
			Targets:      []config.Target{{Provider: "alpha", Model: "claude", Weight: 3}, {Provider: "zeta", Model: "claude", Weight: 1}},
			Capabilities: map[string]bool{"tools": true, "reasoning": false},
			Tags:         []string{"long"},
			Timeouts:     config.Timeouts{FirstByte: 2 * time.Minute, Gap: 5 * time.Second, Total: 30 * time.Minute},
			Price:        config.Price{Sheet: price.MustPrice("3 0.3 - -").Sheet},
			HideUpstream: true,
		},
	}
	if diff := cmp.Diff(wantModels, cfg.Models, byContent); diff != "" {
		t.Error(diff)
	}
}

func TestReadsTheOtherSettings(t *testing.T) {
	t.Parallel()
	cfg := load(t, `
public_url: https://ai.example.com/stele/
log_level: debug
drain: 1m
trusted_proxies: [10.1.2.3, "fd00::/8", "::ffff:10.0.0.1"]
metrics: {listen: 127.0.0.1:9090}
auth: {accept_goog_header: true, allow_development: false}
stream: {keep_alive: 5s}
limits: {video: 1GB, unfinished_generations: 5}
credits_per_usd: 12.5
retention: {outputs: 24h}
egress: {fetch_inputs: false, allow_private: [192.168.0.0/16]}
`, nil)
	want := config.Default()
	want.PublicURL, want.LogLevel, want.Drain = "https://ai.example.com/stele", "debug", time.Minute
	want.TrustedProxies = config.Networks{netip.MustParsePrefix("10.1.2.3/32"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("10.0.0.1/32")}
	want.Metrics.Listen = "127.0.0.1:9090"
	want.Auth = config.Auth{AcceptGoogHeader: true}
	want.Stream.KeepAlive = 5 * time.Second
	want.Limits.Video, want.Limits.UnfinishedGenerations = manifest.GB, 5
	want.CreditsPerUSD = 12.5
	want.Retention.Outputs = 24 * time.Hour
	want.Egress = config.Egress{AllowPrivate: config.Networks{netip.MustParsePrefix("192.168.0.0/16")}}
	if diff := cmp.Diff(want, cfg, byContent); diff != "" {
		t.Error(diff)
	}
}

func TestPatternsBeginAtTheFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"odd [name]/stele.yaml":     "media_models: [./media/*.yaml, media/b.yaml, none/*.yaml]\napps: ['../apps/*.yaml']\n",
		"odd [name]/media/b.yaml":   "",
		"odd [name]/media/a.yaml":   "",
		"odd [name]/media/c.yaml/x": "",
	})
	cfg, err := config.Load(config.Sources{Path: filepath.Join(dir, "odd [name]", "stele.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	media := filepath.Join(dir, "odd [name]", "media")
	if diff := cmp.Diff([]string{filepath.Join(media, "a.yaml"), filepath.Join(media, "b.yaml")}, cfg.MediaModelFiles); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "apps", "one.yaml")}, cfg.AppFiles); diff != "" {
		t.Error(diff)
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cfg       config.Config
		listening string
		want      string
	}{
		{config.Config{PublicURL: "https://a.example.com"}, "127.0.0.1:80", "https://a.example.com"},
		{config.Config{}, "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{config.Config{}, "[::]:8080", "http://127.0.0.1:8080"},
		{config.Config{}, ":8080", "http://127.0.0.1:8080"},
		{config.Config{}, "[::1]:8080", "http://[::1]:8080"},
		{config.Config{TLS: config.TLS{CertFile: "c", KeyFile: "k"}}, "host:443", "https://host:443"},
	}
	for _, tt := range tests {
		if got := tt.cfg.Public(tt.listening); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.listening, got, tt.want)
		}
	}
}

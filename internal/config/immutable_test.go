package config_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

func TestImmutableNamesWhatNeedsARestart(t *testing.T) {
	t.Parallel()
	changed := config.Default()
	changed.Listen, changed.Data, changed.DatabaseURL, changed.BlobURL = "x", "x", "x", "x"
	changed.PublicURL, changed.MasterKeyFile, changed.LogFormat = "x", "x", "x"
	changed.TrustedProxies = config.Networks{netip.MustParsePrefix("::/0")}
	changed.TLS = config.TLS{CertFile: "x", KeyFile: "x"}
	changed.Telemetry.OTLP.Endpoint = "x"
	changed.Metrics.Listen, changed.Admin.Email, changed.Egress.CAFile = "x", "x", "x"
	changed.HSTS, changed.Console.Listen, changed.Console.PublicURL = 1, "x", "x"
	changed.Limits.IdleConnection, changed.Limits.HeaderTime, changed.Limits.HeaderSize = 1, 1, 1
	changed.OIDC.AllowedDomains = []string{"example.com"}
	changed.Capture.Bodies = true
	want := []string{
		"listen", "data", "database_url", "blob_url", "public_url", "master_key_file", "log_format",
		"tls", "hsts", "console.listen", "console.public_url", "metrics.listen", "limits.idle_connection", "limits.header_time", "limits.header_size", "admin", "oidc", "egress.ca_file", "telemetry", "capture.bodies",
	}
	if diff := cmp.Diff(want, config.Immutable(config.Default(), changed)); diff != "" {
		t.Error(diff)
	}
}

func TestTheRestIsTakenWhileRunning(t *testing.T) {
	t.Parallel()
	changed := config.Default()
	changed.Providers, changed.Models = config.Providers{{Name: "a"}}, config.Models{{ID: "b"}}
	changed.MediaModels, changed.Apps = []string{"m"}, []string{"a"}
	changed.LogLevel, changed.Drain, changed.CreditsPerUSD = "debug", time.Hour, 1
	changed.Auth, changed.Stream, changed.Limits, changed.Retention = config.Auth{}, config.Stream{}, config.Limits{}, config.Retention{}
	changed.Audit = config.Audit{File: "x", URL: "https://x", Token: "x"}
	old := config.Default().Limits
	changed.Limits.IdleConnection, changed.Limits.HeaderTime, changed.Limits.HeaderSize = old.IdleConnection, old.HeaderTime, old.HeaderSize
	changed.Metrics.Token, changed.Files, changed.Console.Allow = "x", config.Files{}, config.Networks{netip.MustParsePrefix("::/0")}
	changed.Egress.FetchInputs = false
	changed.Capture.Budget, changed.Capture.Keep = 1, time.Hour
	if got := config.Immutable(config.Default(), changed); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

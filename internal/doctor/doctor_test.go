package doctor

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/store"
)

// classes runs one check on a patient and gives the classes that it found.
func classes(t *testing.T, name string, p *patient) string {
	t.Helper()
	for _, c := range checks {
		if c.name != name {
			continue
		}
		var list []string
		for _, f := range p.run(t.Context(), c) {
			if f.Said == "" || (f.Class == Bad || f.Class == Warning) && f.Do == "" {
				t.Errorf("%s says too little: %+v", name, f)
			}
			list = append(list, string(f.Class))
		}
		return strings.Join(list, " ")
	}
	t.Fatalf("there is no check %s", name)
	return ""
}

func TestSettingsThatLeaveDoorsOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		check string
		set   func(*config.Config)
		want  string
	}{
		{"listener", func(*config.Config) {}, "ok"},
		{"listener", func(c *config.Config) { c.Listen = "[::1]:80" }, "ok"},
		{"listener", func(c *config.Config) { c.Listen = ":80" }, "bad"},
		{"listener", func(c *config.Config) { c.Listen, c.Console.Listen = "192.0.2.1:80", "0.0.0.0:81" }, "bad bad"},
		{"listener", func(c *config.Config) { c.Listen, c.PublicURL = ":80", "https://ai.example.com" }, "note"},
		{"listener", func(c *config.Config) { c.Listen, c.TLS.CertFile = ":443", "c" }, "ok"},
		{"public-url", func(*config.Config) {}, "ok"},
		{"public-url", func(c *config.Config) { c.Listen = ":80" }, "warning"},
		{"public-url", func(c *config.Config) { c.PublicURL = "http://ai.example.com" }, "bad"},
		{"public-url", func(c *config.Config) { c.PublicURL = "http://127.0.0.1:8080" }, "ok"},
		{"public-url", func(c *config.Config) { c.PublicURL = "https://ai.example.com" }, "ok"},
		{"proxies", func(c *config.Config) { c.PublicURL = "https://ai.example.com" }, "warning"},
		{"proxies", func(c *config.Config) { c.TrustedProxies = config.Networks{netip.MustParsePrefix("0.0.0.0/0")} }, "bad"},
		{"proxies", func(c *config.Config) {
			c.PublicURL, c.TrustedProxies = "https://ai.example.com", config.Networks{netip.MustParsePrefix("10.0.0.0/8")}
		}, "ok"},
		{"metrics", func(c *config.Config) { c.Metrics.Listen = "127.0.0.1:9090" }, "ok"},
		{"metrics", func(c *config.Config) { c.Metrics.Listen = ":9090" }, "bad"},
		{"metrics", func(c *config.Config) { c.Metrics.Listen, c.Metrics.Token = ":9090", "t" }, "ok"},
		{"certificate", func(c *config.Config) { c.TLS.CertFile, c.TLS.KeyFile = "none", "none" }, "bad"},
		{"second-factor", func(*config.Config) {}, "warning"},
		{"second-factor", func(c *config.Config) { c.Auth.RequireSecondFactor = "administrators" }, "ok"},
		{"second-factor", func(c *config.Config) { c.Auth.SSOOnly = true }, "ok"},
		{"development-keys", func(c *config.Config) { c.PublicURL = "https://ai.example.com" }, "note"},
	} {
		cfg := config.Default()
		c.set(cfg)
		if got := classes(t, c.check, &patient{Options: Options{Config: cfg, Now: time.Now()}}); got != c.want {
			t.Errorf("%s of %+v: %s, want %s", c.check, cfg.Listen+" "+cfg.PublicURL, got, c.want)
		}
	}
}

func TestWhatAnInstallationHasCollected(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		check string
		found store.Figures
		want  string
	}{
		{"running", store.Figures{}, "note"},
		{"running", store.Figures{NodesAlive: 1}, "ok"},
		{"administrators", store.Figures{BareAdmins: 1}, "warning"},
		{"prices", store.Figures{Unpriced: map[string]int{"a": 1}}, "warning"},
		{"set-aside", store.Figures{SetAside: 1}, "warning"},
		{"webhooks", store.Figures{GivenUp: 1}, "warning"},
		{"unsettled", store.Figures{Unsettled: 1}, "note"},
		{"waiting", store.Figures{Unfinished: 1, OldestWaits: now.Add(-2 * time.Hour)}, "warning"},
		{"waiting", store.Figures{Unfinished: 1, OldestWaits: now.Add(-time.Minute)}, "ok"},
		{"clock", store.Figures{Clock: now.Add(time.Minute)}, "bad"},
		{"clock", store.Figures{Clock: now.Add(time.Second)}, "ok"},
		{"database", store.Figures{Took: time.Second}, "warning"},
	} {
		p := &patient{Options: Options{Config: config.Default(), Now: now}, house: new(assembly.Installation), figures: c.found}
		if got := classes(t, c.check, p); got != c.want {
			t.Errorf("%s of %+v: %s, want %s", c.check, c.found, got, c.want)
		}
	}
}

func TestABackupIsRemembered(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for last, want := range map[time.Time]string{{}: "note", now.Add(-time.Hour): "ok", now.Add(-8 * 24 * time.Hour): "note"} {
		p := &patient{Options: Options{Config: config.Default(), Now: now}, state: store.State{BackedUp: last}}
		if got := classes(t, "backups", p); got != want {
			t.Errorf("backed up at %v: %s, want %s", last, got, want)
		}
	}
}

func TestWhatLiesInTheDataFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "journal"), 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Data = folder
	p := &patient{Options: Options{Config: cfg, Now: time.Now()}, versionErr: os.ErrNotExist}
	put := func(name string, size int64, age time.Duration) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, p.Now.Add(-age), p.Now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for check, want := range map[string]string{"wal": "ok", "journal": "ok", "clock": "ok", "master-key": "bad", "database": "bad"} {
		if got := classes(t, check, p); got != want {
			t.Errorf("%s: %s, want %s", check, got, want)
		}
	}
	put("stele.db-wal", largeWAL, 0)
	put("journal/usage_1.jsonl", 1, time.Second)
	if got := classes(t, "journal", p); got != "ok" {
		t.Errorf("a journal in use: %s", got)
	}
	put("journal/usage_2.jsonl", 1, time.Hour)
	put("journal/refused.jsonl", 1, 0)
	put("stele.db", 1, -time.Hour)
	put("master.key", 1, 0)
	for check, want := range map[string]string{"wal": "warning", "journal": "warning warning", "clock": "bad", "master-key": "ok"} {
		if got := classes(t, check, p); got != want {
			t.Errorf("%s: %s, want %s", check, got, want)
		}
	}
	if err := os.Chmod(filepath.Join(folder, "master.key"), 0o640); err != nil {
		t.Fatal(err)
	}
	if got := classes(t, "master-key", p); got != "bad" {
		t.Errorf("a key that others can read: %s", got)
	}
	for current, want := range map[int64]string{1: "warning", 3: "bad"} {
		p.versionErr, p.state.Schema, p.state.Known = nil, current, 2
		if got := classes(t, "database", p); got != want {
			t.Errorf("version %d of 2: %s, want %s", current, got, want)
		}
	}
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	found := Examine(t.Context(), Options{Config: cfg, Now: time.Now()})
	if len(found) != len(checks) || found[0].Class != Bad {
		t.Errorf("%+v", found)
	}
	if _, err := os.Stat(cfg.Data); err == nil {
		t.Error("the data folder was made")
	}
}

func TestLooksAtMetricsAndTelemetry(t *testing.T) {
	t.Parallel()
	here := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer 0123456789abcdef" && r.URL.Path != "/healthz" && r.Header.Get("X-Token") != "t" {
				status = http.StatusUnauthorized
			}
			w.WriteHeader(status)
		}))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	serving, nothing := here(http.StatusOK), "127.0.0.1:1"
	for _, c := range []struct {
		check, want string
		change      func(*config.Config)
		online      bool
	}{
		{"metrics", "ok", func(c *config.Config) {
			c.Listen, c.Metrics.Listen, c.Metrics.Token = serving, here(http.StatusOK), "0123456789abcdef"
		}, false},
		{"metrics", "warning", func(c *config.Config) { c.Listen, c.Metrics.Listen = serving, here(http.StatusOK) }, false},
		{"metrics", "warning", func(c *config.Config) { c.Listen, c.Metrics.Listen = serving, nothing }, false},
		{"metrics", "ok", func(c *config.Config) { c.Listen, c.Metrics.Listen = nothing, nothing }, false},
		{"telemetry", "ok", func(*config.Config) {}, true},
		{"telemetry", "skipped", func(c *config.Config) { c.Telemetry.OTLP.Endpoint = "http://" + nothing }, false},
		{"telemetry", "warning", func(c *config.Config) { c.Telemetry.OTLP.Endpoint = "http://" + nothing }, true},
		{"telemetry", "ok", func(c *config.Config) {
			c.Telemetry.OTLP.Endpoint, c.Telemetry.OTLP.Headers = "http://"+here(http.StatusOK), "x-token=t"
		}, true},
		{"telemetry", "warning skipped", func(c *config.Config) {
			c.Telemetry.OTLP.Endpoint, c.Telemetry.OTLP.Headers = "http://collector.example", "x-token=t"
		}, false},
	} {
		cfg := config.Default()
		c.change(cfg)
		p := &patient{Options: Options{Config: cfg, Online: c.online, Now: time.Now(), Process: assembly.Process{Getenv: func(string) string { return "" }}}}
		if got := classes(t, c.check, p); got != c.want {
			t.Errorf("%s of %+v, %+v: %s, want %s", c.check, cfg.Metrics, cfg.Telemetry, got, c.want)
		}
	}
}

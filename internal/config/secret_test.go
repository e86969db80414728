package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"stele/internal/config"
)

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	cfg := load(t, `
database_url: postgres://u:hunter2@h/d
blob_url: s3://hunter2@bucket
admin: {email: a@example.com, password_file: secret}
providers:
  a: {kind: openai, api_key: hunter2}
`, nil)
	cfg.Admin.Password = "hunter2"
	encoded, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("x", "config", cfg, "value", *cfg, "secret", cfg.DatabaseURL, "provider", cfg.Providers[0])
	}
	secret := config.Secret("hunter2")
	for name, text := range map[string]string{
		"%v":      fmt.Sprintf("%v %v %v", *cfg, cfg.Providers, secret),
		"%+v":     fmt.Sprintf("%+v %+v", cfg, secret),
		"%#v":     fmt.Sprintf("%#v %#v %#v", cfg, cfg.Providers, secret),
		"%s":      fmt.Sprintf("%s %q %x %d", secret, secret, secret, &secret),
		"String":  secret.String() + secret.GoString(),
		"error":   fmt.Errorf("with %v", secret).Error(),
		"json":    string(encoded),
		"slog":    logged.String(),
		"Println": fmt.Sprintln(cfg.Admin, cfg.DatabaseURL),
	} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s shows a secret: %s", name, text)
		}
		if !strings.Contains(text, "••••") {
			t.Errorf("%s shows no dots: %s", name, text)
		}
	}
	if secret.Reveal() != "hunter2" {
		t.Error("Reveal does not reveal")
	}
}

func TestProblemsShowNoSecrets(t *testing.T) {
	t.Parallel()
	env := map[string]string{"S": "hunter2", "STELE_BLOB_URL": "hunter2", "OLLAMA_HOST": "hunter2@:x"}
	for _, text := range []string{
		"database_url: ${S}", "retention: {files: '${S}'}\ncredits_per_usd: ${S}", "trusted_proxies: ['${S}']", "listen: ${S}",
		"providers:\n  a: {kind: openai, base_url: 'https://${S}@h', api_key: [hunter2]}", "limits: {image: '${S}'}",
		"public_url: https://x:hunter2@h",
	} {
		_, err := config.Load(sources(t, text, env))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

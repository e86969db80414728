package config_test

import (
	"strings"
	"testing"
	"time"

	"stele/internal/config"
)

func TestReadsHowPeopleSignIn(t *testing.T) {
	t.Parallel()
	cfg := load(t, `
oidc: {issuer: "https://id.example.com", client_id: stele}
auth:
  require_second_factor: administrators
  sso_only: true
  session: {idle: 2h, life: 48h, per_person: 3}
`, nil)
	a := cfg.Auth
	if a.RequireSecondFactor != "administrators" || !a.SSOOnly || a.Session != (config.AuthSession{Idle: 2 * time.Hour, Life: 48 * time.Hour, PerPerson: 3}) {
		t.Errorf("%+v", a)
	}
}

func TestRefusesHowNobodyCouldSignIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"auth: {sso_only: true}":             "needs oidc.issuer",
		"auth: {require_second_factor: all}": "none, administrators",
		"auth: {session: {idle: 5s}}":        "at least 1m",
		"auth: {session: {life: 1s}}":        "at least 1m",
		"auth: {session: {per_person: -1}}":  "more than 0",
		"auth: {session: {idle: -1h}}":       "at least 1m",
		"auth: {session: {forever: true}}":   "forever",
	} {
		if _, err := config.Load(sources(t, text, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

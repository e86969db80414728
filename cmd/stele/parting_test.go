package main

import (
	"net/http"
	"testing"

	"stele/internal/config"
	"stele/internal/media"
)

// TestARemovedAccountSeesItsWorkThrough removes an account that makes media and
// brings it back.
func TestARemovedAccountSeesItsWorkThrough(t *testing.T) {
	t.Parallel()
	client := func() *http.Client { return nil }
	m := &makers{outside: client, public: client, seen: func(string, error) {}}
	cfg := &config.Config{Providers: config.Providers{{Name: "pics", Kind: "replicate", BaseURL: "http://127.0.0.1:9", APIKey: "a"}}}
	offer := func(cfg *config.Config) {
		t.Helper()
		if err := m.offer(cfg); err != nil {
			t.Fatal(err)
		}
	}
	offer(cfg)
	first, ok := m.find("pics")
	if !ok {
		t.Fatal("the account makes nothing")
	}
	offer(cfg)
	if same, _ := m.find("pics"); same != first {
		t.Error("an account that did not change was opened again")
	}
	offer(&config.Config{})
	left, ok := m.find("pics")
	if !ok {
		t.Fatal("accepted work of a removed account cannot be looked at any more")
	}
	if _, err := left.Submit(t.Context(), media.Request{}); media.Failing(err).Class != media.Quota {
		t.Errorf("a removed account takes orders: %v", err)
	}
	if _, err := left.Poll(t.Context(), media.Ticket("{}")); media.Failing(err).Class != media.Gone {
		t.Errorf("a ticket that is none: %v", err)
	}
	cfg.Providers[0].APIKey = "b"
	offer(cfg)
	if back, _ := m.find("pics"); back == first || back == left {
		t.Error("the account that is back is the old one")
	}
	if _, ok := m.find("other"); ok {
		t.Error("nobody's account was found")
	}
	m.close()
}

package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

func TestEnvironmentSwitchesProvidersOn(t *testing.T) {
	t.Parallel()
	env := map[string]string{"ANTHROPIC_API_KEY": "sk-a", "OLLAMA_HOST": "box:11434", "AZURE_API_KEY": "no address, no provider", "GEMINI_API_KEY": ""}
	cfg := load(t, "models:\n  fast: {targets: [anthropic/claude, ollama/qwen]}\n", env)
	want := config.Providers{
		{Name: "anthropic", Kind: "anthropic", BaseURL: "https://api.anthropic.com", APIKey: "sk-a", Models: []string{"*"}},
		{Name: "ollama", Kind: "ollama", BaseURL: "http://box:11434/v1"},
	}
	if diff := cmp.Diff(want, cfg.Providers, byContent); diff != "" {
		t.Error(diff)
	}
	found := []config.Detected{
		{Provider: "anthropic", Variables: []string{"ANTHROPIC_API_KEY"}},
		{Provider: "ollama", Variables: []string{"OLLAMA_HOST"}},
	}
	if diff := cmp.Diff(found, cfg.Detected); diff != "" {
		t.Error(diff)
	}
}

func TestProvidersInTheFileEndTheSearch(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"}
	for _, text := range []string{"providers: {}", "providers:\n  mine: {kind: ollama}"} {
		cfg := load(t, text, env)
		if len(cfg.Detected) > 0 {
			t.Errorf("%q: %v", text, cfg.Detected)
		}
		for _, p := range cfg.Providers {
			if p.Name != "mine" {
				t.Errorf("%q: %v", text, p)
			}
		}
	}
}

func TestCompletesTheAddressOfOllama(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"box":                     "http://box:11434/v1",
		"box:1":                   "http://box:1/v1",
		":1":                      "http://127.0.0.1:1/v1",
		"0.0.0.0":                 "http://127.0.0.1:11434/v1",
		"0.0.0.0:1":               "http://127.0.0.1:1/v1",
		"[::1]:1":                 "http://[::1]:1/v1",
		"http://box":              "http://box/v1",
		"https://box/":            "https://box/v1",
		"https://box:1/ollama/v1": "https://box:1/ollama/v1",
		"https://[fd00::1]/x/":    "https://[fd00::1]/x",
	}
	for value, want := range tests {
		cfg := load(t, "", map[string]string{"OLLAMA_HOST": value})
		if len(cfg.Providers) != 1 {
			t.Errorf("%s: %v", value, cfg.Providers)
		} else if got := cfg.Providers[0].BaseURL; got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}

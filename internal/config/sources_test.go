package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

func kinds() []config.Kind {
	return []config.Kind{
		{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Models: []string{"*"}, Options: []config.Option{{Name: "region"}}},
		{Name: "anthropic", BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY", Models: []string{"*"}},
		{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com", KeyEnv: "GEMINI_API_KEY"},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", URLEnv: "OLLAMA_HOST"},
		{Name: "replicate", BaseURL: "https://api.replicate.com/v1", KeyEnv: "REPLICATE_API_TOKEN"},
		{Name: "azure", KeyEnv: "AZURE_API_KEY", URLEnv: "AZURE_URL"},
	}
}

// folder makes a temporary folder with the given files, beside some that every
// test may name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"secret": "  sk-from-a-file\n", "empty": " \n", "two-lines": "a\nb\n", "dsn": "postgres://u:p@db/stele\n",
		"media/b.yaml": "", "media/a.yaml": "", "media/deep.yaml/x": "", "apps/one.yaml": "",
	}
	maps.Copy(all, files)
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sources reads text as stele.yaml in a folder of its own.
func sources(t *testing.T, text string, env map[string]string) config.Sources {
	t.Helper()
	return config.Sources{
		Dir:    folder(t, map[string]string{"stele.yaml": text}),
		Getenv: func(name string) string { return env[name] },
		Kinds:  kinds(),
	}
}

func load(t *testing.T, text string, env map[string]string) *config.Config {
	t.Helper()
	cfg, err := config.Load(sources(t, text, env))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// wrong is a file, or an environment, with the lines that say what is wrong.
type wrong struct {
	text string
	env  map[string]string
	want string // one problem per line; paths without the folder
}

func testWrong(t *testing.T, tests map[string]wrong) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sources(t, tt.text, tt.env)
			cfg, err := config.Load(s)
			if err == nil {
				t.Fatal("nothing was found wrong")
			}
			if cfg != nil {
				t.Error("a config came back all the same")
			}
			got := strings.ReplaceAll(err.Error(), s.Dir+string(filepath.Separator), "")
			want := strings.TrimSpace(strings.ReplaceAll(tt.want, "\t", ""))
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

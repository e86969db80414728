package clients

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryClientIsFoundWhereItIsTold has each variable by which a client is told where its settings
// are be set, alone, and looks where they would be written. Without any they are below the home folder.
func TestEveryClientIsFoundWhereItIsTold(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	moved := 0
	for _, c := range All() {
		for _, s := range c.Settings {
			if usual := filepath.Join("/home/me", s.File); s.File != "" && s.Path("/home/me", "linux", none) != usual {
				t.Errorf("%s: %s is at %s", c.ID, usual, s.Path("/home/me", "linux", none))
			}
			for _, m := range s.Moved {
				if m.By == "" {
					continue
				}
				moved++
				for value, folder := range map[string]string{"/elsewhere": "/elsewhere", "~/else": "/home/me/else"} {
					got := s.Path("/home/me", "linux", func(name string) string {
						if name == m.By {
							return value
						}
						return ""
					})
					if !strings.HasPrefix(got, folder+"/") || filepath.Base(got) != filepath.Base(s.File) {
						t.Errorf("%s with %s=%s: %s", c.ID, m.By, value, got)
					}
				}
			}
		}
	}
	if moved < 15 {
		t.Errorf("%d places, of more clients", moved)
	}
	for _, test := range []struct{ client, system, set, want string }{
		{"codex", "linux", "CODEX_HOME", "/x/config.toml"},
		{"pi", "linux", "PI_CODING_AGENT_DIR", "/x/models.json"},
		{"gemini-cli", "linux", "GEMINI_CLI_HOME", "/x/.gemini/.env"},
		{"opencode", "darwin", "XDG_CONFIG_HOME", "/x/opencode/opencode.json"},
		{"zed", "darwin", "XDG_CONFIG_HOME", "/home/me/.config/zed/settings.json"},
		{"zed", "linux", "XDG_CONFIG_HOME", "/x/zed/settings.json"},
		{"llm", "darwin", "XDG_CONFIG_HOME", "/home/me/Library/Application Support/io.datasette.llm/extra-openai-models.yaml"},
		{"llm", "darwin", "LLM_USER_PATH", "/x/extra-openai-models.yaml"},
		{"nanocoder", "darwin", "", "/home/me/Library/Preferences/nanocoder/agents.config.json"},
	} {
		c, _ := ByID(test.client)
		got := c.Settings[0].Path("/home/me", test.system, func(name string) string {
			if name == test.set {
				return "/x"
			}
			return ""
		})
		if got != test.want {
			t.Errorf("%s on %s with %s: %s, not %s", test.client, test.system, test.set, got, test.want)
		}
	}
}

// TestWhatOutdoesSettingsIsTold has variables be set that a client goes by rather than by its settings.
func TestWhatOutdoesSettingsIsTold(t *testing.T) {
	t.Parallel()
	for id, test := range map[string]struct{ set, told []string }{
		"claude-code": {[]string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}, []string{"ANTHROPIC_API_KEY"}}, // its settings set the other
		"gemini-cli":  {[]string{"GEMINI_API_KEY"}, []string{"GEMINI_API_KEY"}},
		"qwen-code":   {[]string{"OPENAI_API_KEY", "OPENAI_BASE_URL"}, []string{"OPENAI_BASE_URL", "OPENAI_API_KEY"}},
		"aider":       {[]string{"AIDER_MODEL", "OPENAI_API_KEY"}, []string{"AIDER_MODEL"}},
		"codex":       {[]string{"OPENAI_API_KEY"}, nil},
	} {
		c, _ := ByID(id)
		settings, err := c.Fill(example)
		if err != nil {
			t.Fatal(err)
		}
		for value, told := range map[string][]string{"other": test.told, "": nil} {
			got := c.Outdoes(settings, func(name string) string {
				if slices.Contains(test.set, name) {
					return value
				}
				return ""
			})
			if !slices.Equal(got, told) {
				t.Errorf("%s with %v=%q: %v", id, test.set, value, got)
			}
		}
		if same := c.Outdoes(settings, func(name string) string {
			return map[string]string{"GEMINI_API_KEY": example.Key, "OPENAI_API_KEY": example.Key}[name]
		}); len(same) > 0 {
			t.Errorf("%s: what is the same outdoes nothing: %v", id, same)
		}
	}
}

// TestAFileUnderItsOtherName has a person keep a client's settings under the name that counts more.
func TestAFileUnderItsOtherName(t *testing.T) {
	t.Parallel()
	home, none := t.TempDir(), func(string) string { return "" }
	s := Setting{File: "tool/settings.json", Beside: []string{"settings.jsonc"}}
	usual, other := filepath.Join(home, "tool", "settings.json"), filepath.Join(home, "tool", "settings.jsonc")
	if at := s.Path(home, "linux", none); at != usual {
		t.Error(at)
	}
	if err := errors.Join(os.Mkdir(filepath.Dir(other), 0o700), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if at := s.Path(home, "linux", none); at != other {
		t.Error(at)
	}
}

// TestWhatAPersonHasThatHinders finds keys with which a client would not go by its settings.
func TestWhatAPersonHasThatHinders(t *testing.T) {
	t.Parallel()
	one := []Hindrance{{Key: "k", Unless: "stele", Why: "why"}}
	for _, c := range []struct {
		form Form
		have string
		want int
	}{
		{TOML, "k = \"work\" # mine\n", 1},
		{TOML, "# k = 1\n[t]\nk = 1\n", 0},
		{JSONC, "{ // mine\n \"k\": [\"other\"],\n}", 1},
		{JSONC, `{"k": ["other", "stele"]}`, 0},
		{JSONC, `{"other": {"k": []}}`, 0},
		{JSONC, `{"k": `, 0},
	} {
		file := filepath.Join(t.TempDir(), "settings")
		if err := os.WriteFile(file, []byte(c.have), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (Setting{Form: c.form, Hinders: one}).Hindrances(file); len(got) != c.want {
			t.Errorf("%q: %v", c.have, got)
		}
	}
	if got := (Setting{Form: TOML, Hinders: one}).Hindrances(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Error(got)
	}
}

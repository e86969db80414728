package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

// cloudly is a kind with options of every sort.
func cloudly() []config.Kind {
	return []config.Kind{{
		Name: "cloud", BaseURL: "https://{region}.example.com", KeyEnv: "CLOUD_KEY",
		Options: []config.Option{
			{Name: "region", Env: []string{"REGION", "OLD_REGION"}, Needed: true},
			{Name: "version", Default: "v1"},
			{Name: "id", Env: []string{"ID"}, Keyless: true, Secret: true},
			{Name: "secret", Env: []string{"SECRET"}, Keyless: true, Secret: true},
			{Name: "session", Env: []string{"SESSION"}, Secret: true},
			{Name: "account", FileEnv: "ACCOUNT", Secret: true, Text: true},
		},
	}}
}

func TestFillsOptionsFromWhereverTheyAre(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"account.json": "{\n}\n"})
	tests := []struct {
		name, text string
		env        map[string]string
		want       map[string]config.Secret
	}{
		{
			"from the file", ", options: {region: eu, id: a, secret_file: secret, account_file: account.json}", nil,
			map[string]config.Secret{"region": "eu", "version": "v1", "id": "a", "secret": "sk-from-a-file", "account": "{\n}\n"},
		},
		{
			"from variables", "", map[string]string{
				"OLD_REGION": "us", "ID": "a", "SECRET": "b", "SESSION": "c", "ACCOUNT": filepath.Join(dir, "account.json"),
			},
			map[string]config.Secret{"region": "us", "version": "v1", "id": "a", "secret": "b", "session": "c", "account": "{\n}\n"},
		},
		{
			"credentials are not mixed", ", options: {region: eu, id: a, secret: b}", map[string]string{"SESSION": "of another", "ID": "another"},
			map[string]config.Secret{"region": "eu", "version": "v1", "id": "a", "secret": "b"},
		},
		{
			"a key is enough", ", api_key: k, options: {version: v2}", map[string]string{"REGION": "us", "ID": "a", "SECRET": "b"},
			map[string]config.Secret{"region": "us", "version": "v2"},
		},
	}
	for _, test := range tests {
		s := sources(t, "providers:\n  mine: {kind: cloud"+test.text+"}\n", test.env)
		s.Kinds = cloudly()
		if err := os.WriteFile(filepath.Join(s.Dir, "account.json"), []byte("{\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(s)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, cfg.Providers[0].Options, byContent); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestSaysWhatIsWrongWithOptions(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"options: {region: eu}", `providers.mine.options.id: missing; the kind "cloud" needs it where there is no api_key (or id_file, ID)`},
		{"api_key: k", `providers.mine.options.region: missing; the kind "cloud" needs it (or REGION, OLD_REGION)`},
		{"api_key: k, options: {regoin: eu, region: eu}", `the kind "cloud" has no option "regoin"; did you mean "region"?`},
		{"api_key: k, options: {region_file: eu, region: eu}", `the kind "cloud" has no option "region_file"`},
		{"api_key: k, options: {region: ''}", "providers.mine.options.region: must not be empty"},
		{"options: {region: eu, id: a, id_file: secret, secret: b}", "providers.mine.options.id is set as well"},
		{"options: {region: eu, id: a, secret_file: nowhere}", "providers.mine.options.secret_file: cannot read"},
		{"options: {region: eu, id: a, secret: b, account_file: empty}", "it is empty"},
	}
	for _, test := range tests {
		s := sources(t, "providers:\n  mine: {kind: cloud, "+test.text+"}\n", nil)
		s.Kinds = cloudly()
		_, err := config.Load(s)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

func TestAKindWithoutOptionsTakesNone(t *testing.T) {
	t.Parallel()
	_, err := config.Load(sources(t, "providers:\n  a: {kind: gemini, options: {region: eu}}\n", nil))
	if err == nil || !strings.Contains(err.Error(), `the kind "gemini" has no options`) {
		t.Error(err)
	}
}

func TestEnvironmentSwitchesOnOnlyWhatIsComplete(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		env  map[string]string
		want int
	}{
		{map[string]string{"CLOUD_KEY": "k"}, 0},
		{map[string]string{"REGION": "eu", "ID": "a", "SECRET": "b"}, 0}, // those are for other things too
		{map[string]string{"CLOUD_KEY": "k", "REGION": "eu"}, 1},
	} {
		s := sources(t, "", test.env)
		s.Kinds = cloudly()
		cfg, err := config.Load(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Providers) != test.want {
			t.Errorf("%v: %v", test.env, cfg.Providers)
		}
		if test.want == 1 && cfg.Providers[0].Options["region"].Reveal() != "eu" {
			t.Errorf("%v", cfg.Providers[0])
		}
	}
}

func TestAnAddressWithoutItsKeySwitchesNothingOn(t *testing.T) {
	t.Parallel()
	cfg := load(t, "", map[string]string{"AZURE_URL": "https://mine.example.com"})
	if len(cfg.Providers) != 0 {
		t.Error(cfg.Providers)
	}
	cfg = load(t, "", map[string]string{"AZURE_URL": "https://mine.example.com", "AZURE_API_KEY": "k"})
	if len(cfg.Providers) != 1 || cfg.Providers[0].BaseURL != "https://mine.example.com" {
		t.Error(cfg.Providers)
	}
}

func TestOptionsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	s := sources(t, "providers:\n  mine: {kind: cloud, options: {region: eu, id: hunter2, secret: hunter2}}\n", nil)
	s.Kinds = cloudly()
	cfg, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v", cfg.Providers, cfg.Providers, cfg.Providers); strings.Contains(text, "hunter2") {
		t.Error(text)
	}
}

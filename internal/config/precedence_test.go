package config_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

func TestFlagsBeatEnvironmentBeatsFileBeatsDefault(t *testing.T) {
	t.Parallel()
	const file = `
listen: 127.0.0.1:1
data: /file
database_url: postgres://file/d
blob_url: s3://file
public_url: http://file
log_format: text
log_level: warn
`
	env := map[string]string{
		"STELE_LISTEN": "127.0.0.1:2", "STELE_DATA": "env", "STELE_DATABASE_URL": "postgres://env/d", "STELE_BLOB_URL": "s3://env",
		"STELE_PUBLIC_URL": "http://env", "STELE_LOG_FORMAT": "json", "STELE_LOG_LEVEL": "error",
	}
	flags := config.Flags{
		Listen: new("127.0.0.1:3"), Data: new("flag"), DatabaseURL: new("postgres://flag/d"), BlobURL: new("s3://flag"),
		PublicURL: new("http://flag"), LogFormat: new(""),
	}
	seen := func(c *config.Config) []string {
		return []string{c.Listen, c.Data, c.DatabaseURL.Reveal(), c.BlobURL.Reveal(), c.PublicURL, c.LogFormat, c.LogLevel}
	}
	tests := map[string]struct {
		file  string
		env   map[string]string
		flags config.Flags
		want  []string
	}{
		"default":     {"", nil, config.Flags{}, []string{"127.0.0.1:8080", "stele-data", "", "", "", "", "info"}},
		"file":        {file, nil, config.Flags{}, []string{"127.0.0.1:1", "/file", "postgres://file/d", "s3://file", "http://file", "text", "warn"}},
		"environment": {file, env, config.Flags{}, []string{"127.0.0.1:2", "env", "postgres://env/d", "s3://env", "http://env", "json", "error"}},
		"flags":       {file, env, flags, []string{"127.0.0.1:3", "flag", "postgres://flag/d", "s3://flag", "http://flag", "", "error"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sources(t, tt.file, tt.env)
			s.Flags = tt.flags
			cfg, err := config.Load(s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, seen(cfg)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestALaterSourceReplacesASecretAndItsFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file  string
		env   map[string]string
		flags config.Flags
		want  string
	}{
		"file in the file":           {"database_url_file: dsn", nil, config.Flags{}, "postgres://u:p@db/stele"},
		"environment over its file":  {"database_url_file: dsn", map[string]string{"STELE_DATABASE_URL": "postgres://env"}, config.Flags{}, "postgres://env"},
		"flag over its file":         {"database_url_file: gone", nil, config.Flags{DatabaseURL: new("postgres://flag")}, "postgres://flag"},
		"empty flag over everything": {"database_url: postgres://file", map[string]string{"STELE_DATABASE_URL_FILE": "/gone"}, config.Flags{DatabaseURL: new("")}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sources(t, tt.file, tt.env)
			s.Flags = tt.flags
			cfg, err := config.Load(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.DatabaseURL.Reveal(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFileNamedInTheEnvironmentReplacesTheURLInTheFile(t *testing.T) {
	t.Parallel()
	s := sources(t, "database_url: postgres://file", nil)
	s.Getenv = func(name string) string {
		return map[string]string{"STELE_DATABASE_URL_FILE": filepath.Join(s.Dir, "dsn")}[name]
	}
	cfg, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cfg.DatabaseURL.Reveal(), "postgres://u:p@db/stele"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindsTheFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"stele.yaml": "data: /dir", "env.yaml": "data: /env", "flag.yaml": "data: /flag"})
	at := func(name string) string { return filepath.Join(dir, name) }
	tests := map[string]struct{ path, env, want string }{
		"in the folder":       {"", "", "/dir"},
		"in the environment":  {"", at("env.yaml"), "/env"},
		"on the command line": {at("flag.yaml"), at("env.yaml"), "/flag"},
	}
	for name, tt := range tests {
		getenv := func(name string) string { return map[string]string{"STELE_CONFIG": tt.env}[name] }
		cfg, err := config.Load(config.Sources{Path: tt.path, Dir: dir, Getenv: getenv})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if cfg.Data != tt.want {
			t.Errorf("%s: read %s", name, cfg.Data)
		}
	}
}

func TestANamedFileMustBeThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tests := map[string]string{
		filepath.Join(dir, "gone.yaml"): filepath.Join(dir, "gone.yaml") + ": no such file or directory",
		dir:                             dir + ": is a directory",
	}
	for path, want := range tests {
		cfg, err := config.Load(config.Sources{Path: path})
		if cfg != nil || err == nil || err.Error() != want {
			t.Errorf("got %v, %v; want %s", cfg, err, want)
		}
	}
}

func TestPathsInTheFileBeginAtTheFile(t *testing.T) {
	t.Parallel()
	cfg := load(t, "data: here\nmaster_key_file: ./secret\ntls: {cert_file: secret, key_file: secret}\nadmin: {email: a@b.c, password_file: secret}\n", nil)
	dir := filepath.Dir(cfg.File)
	if got, want := cfg.Data, filepath.Join(dir, "here"); got != want {
		t.Errorf("data: got %s, want %s", got, want)
	}
	for _, got := range []string{cfg.MasterKeyFile, cfg.TLS.CertFile, cfg.TLS.KeyFile, cfg.Admin.PasswordFile} {
		if want := filepath.Join(dir, "secret"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got, want := cfg.Admin.Password.Reveal(), "sk-from-a-file"; got != want {
		t.Errorf("password: got %s, want %s", got, want)
	}
}

package config

import (
	"fmt"

	"stele/internal/manifest"
)

// Levels, the higher wins.
const (
	fromNowhere = iota
	fromFile
	fromEnv
	fromFlag
)

// origin is where a value came from if not from the file.
type origin struct {
	name  string // of the flag or the variable
	level int
}

// setting is a value that the environment or a flag may replace.
type setting struct {
	path  manifest.Path
	env   string
	flag  string  // "": there is none
	given *string // the flag's value
	into  *string
}

func settings(cfg *Config, f Flags) []setting {
	at := manifest.At
	return []setting{
		{at("listen"), "STELE_LISTEN", "--listen", f.Listen, &cfg.Listen},
		{at("data"), "STELE_DATA", "--data", f.Data, &cfg.Data},
		{at("database_url"), "STELE_DATABASE_URL", "--database-url", f.DatabaseURL, (*string)(&cfg.DatabaseURL)},
		{at("database_url_file"), "STELE_DATABASE_URL_FILE", "", nil, &cfg.DatabaseURLFile},
		{at("blob_url"), "STELE_BLOB_URL", "--blob-url", f.BlobURL, (*string)(&cfg.BlobURL)},
		{at("blob_url_file"), "STELE_BLOB_URL_FILE", "", nil, &cfg.BlobURLFile},
		{at("public_url"), "STELE_PUBLIC_URL", "--public-url", f.PublicURL, &cfg.PublicURL},
		{at("master_key_file"), "STELE_MASTER_KEY_FILE", "--master-key-file", f.MasterKeyFile, &cfg.MasterKeyFile},
		{at("log_format"), "STELE_LOG_FORMAT", "--log-format", f.LogFormat, &cfg.LogFormat},
		{at("log_level"), "STELE_LOG_LEVEL", "", nil, &cfg.LogLevel},
		{at("admin", "email"), "STELE_ADMIN_EMAIL", "", nil, &cfg.Admin.Email},
		{at("admin", "password_file"), "STELE_ADMIN_PASSWORD_FILE", "", nil, &cfg.Admin.PasswordFile},
	}
}

// overlay puts the environment over the file and the flags over both, and
// remembers what came from where.
func (c *checker) overlay(f Flags, getenv func(string) string) {
	for _, s := range settings(c.cfg, f) {
		if s.given != nil {
			*s.into = *s.given
			c.origins[s.path.String()] = origin{s.flag, fromFlag}
		} else if value := getenv(s.env); value != "" {
			*s.into = value
			c.origins[s.path.String()] = origin{s.env, fromEnv}
		}
	}
}

// level returns where the value at path came from; set says whether there is one.
func (c *checker) level(path manifest.Path, set bool) int {
	if from, ok := c.origins[path.String()]; ok {
		return from.level
	}
	if set {
		return fromFile
	}
	return fromNowhere
}

// report reports a value where it came from: at its place in the file, or under the
// name of the flag or variable.
func (c *checker) report(path manifest.Path, format string, args ...any) {
	from, elsewhere := c.origins[path.String()]
	if !elsewhere {
		c.doc.Report(path, format, args...)
		return
	}
	c.outside = append(c.outside, manifest.Problem{
		File: from.name, Path: path.String(), Message: fmt.Sprintf(format, args...),
	})
}

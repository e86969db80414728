package config

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"stele/internal/manifest"
)

// Sources is where a configuration comes from.
type Sources struct {
	Path   string                   // --config; "" if not given
	Dir    string                   // where stele.yaml is looked for without it; "" is the working directory
	Named  bool                     // no file is read but one that is named: the working directory may be another user's
	Getenv func(name string) string // an empty variable counts as unset; nil is an empty environment
	Flags  Flags
	Kinds  []Kind // the known kinds of provider
}

// Flags are the values of flags; nil is a flag that was not given.
type Flags struct {
	Listen, Data, DatabaseURL, BlobURL, PublicURL, MasterKeyFile, LogFormat *string
}

// Load reads the configuration: defaults, then the file, then the environment,
// then the flags; what comes later wins. If anything is wrong it returns no
// Config, and an error of type manifest.Problems that lists all of it. What the
// Config holds is the caller's own.
func Load(s Sources) (*Config, error) {
	if s.Getenv == nil {
		s.Getenv = func(string) string { return "" }
	}
	c := &checker{cfg: Default(), kinds: s.Kinds, getenv: s.Getenv, origins: make(map[string]origin)}
	file, err := s.read()
	if err != nil {
		c.outside = append(c.outside, manifest.Problem{File: file.name, Message: reason(err)})
	}
	c.doc = manifest.Decode(file.name, file.text, c.cfg, manifest.Options{Env: s.lookup})
	c.cfg.File, c.cfg.ModTime = file.name, file.changed

	c.resolvePaths()
	c.overlay(s.Flags, s.Getenv)
	if !c.doc.Has(manifest.At("providers")) {
		c.detect(s.Getenv)
	}
	c.check()
	c.remember()
	if problems := append(c.outside, c.doc.Problems()...); len(problems) > 0 {
		return nil, problems
	}
	return c.cfg, nil
}

// remember notes where the file has what the console shows of it.
func (c *checker) remember() {
	if len(c.cfg.Providers)+len(c.cfg.Models)+len(c.cfg.Names) == 0 {
		return
	}
	c.cfg.Lines = make(map[string]int)
	for _, p := range c.cfg.Providers {
		c.cfg.Lines["provider "+p.Name] = c.doc.Line(manifest.At("providers", p.Name))
	}
	for _, m := range c.cfg.Models {
		c.cfg.Lines["model "+m.ID] = c.doc.Line(manifest.At("models", m.ID))
	}
	for _, n := range c.cfg.Names {
		c.cfg.Lines["name "+n.Pattern] = c.doc.Line(manifest.At("models", n.Pattern))
	}
}

func (s Sources) lookup(name string) (string, bool) {
	value := s.Getenv(name)
	return value, value != ""
}

type source struct {
	name    string // "" if there is no file
	text    []byte
	changed time.Time
}

// read finds the file and reads it. Only one that was not named may be missing.
func (s Sources) read() (source, error) {
	name, named := cmp.Or(s.Path, s.Getenv("STELE_CONFIG")), true
	if name == "" {
		if s.Named {
			return source{}, nil
		}
		name, named = filepath.Join(s.Dir, "stele.yaml"), false
	}
	f, err := os.Open(name)
	if !named && errors.Is(err, fs.ErrNotExist) {
		return source{}, nil
	}
	if err != nil {
		return source{name: name}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return source{name: name}, err
	}
	// More than a manifest may hold is more than enough to be told so.
	const most = 2 << 20
	text, err := io.ReadAll(io.LimitReader(f, most))
	return source{name: name, text: text, changed: info.ModTime()}, err
}

// resolvePaths lets relative paths in the file begin at the file's folder.
func (c *checker) resolvePaths() {
	cfg, dir := c.cfg, filepath.Dir(c.cfg.File)
	paths := []*string{
		&cfg.DatabaseURLFile, &cfg.BlobURLFile, &cfg.MasterKeyFile, &cfg.Admin.PasswordFile,
		&cfg.OIDC.ClientSecretFile, &cfg.Audit.File, &cfg.Audit.TokenFile, &cfg.Mail.URLFile, &cfg.Metrics.TokenFile,
		&cfg.Telemetry.OTLP.HeadersFile,
		&cfg.TLS.CertFile, &cfg.TLS.KeyFile, &cfg.Egress.CAFile,
	}
	if c.doc.Has(manifest.At("data")) {
		paths = append(paths, &cfg.Data)
	}
	for i := range cfg.Providers {
		paths = append(paths, &cfg.Providers[i].APIKeyFile)
	}
	for _, p := range paths {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
}

// reason returns what went wrong with a file, without repeating its name.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}

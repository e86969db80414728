package config

import (
	"net/mail"
	"slices"
	"strings"

	"stele/internal/manifest"
)

// checker looks at the meaning of what was read and reports all that is wrong.
type checker struct {
	cfg     *Config
	kinds   []Kind
	getenv  func(string) string
	doc     *manifest.Doc
	origins map[string]origin // what did not come from the file, by path
	outside manifest.Problems // those of flags and variables
	alone   bool              // nothing but the document counts: neither variables nor other files
}

func (c *checker) check() {
	c.checkSecrets()
	c.checkServing()
	c.checkPlaces()
	c.checkAdmin()
	c.checkOIDC()
	c.checkAuth()
	c.checkAmounts()
	c.checkProviders()
	c.splitNames()
	c.checkModels()
	c.checkNames()
	c.checkPrices()
	c.cfg.MediaModelFiles = c.match("media_models", c.cfg.MediaModels)
	c.cfg.AppFiles = c.match("apps", c.cfg.Apps)
}

func (c *checker) checkServing() {
	cfg, at := c.cfg, manifest.At
	if !isListenAddress(cfg.Listen) {
		c.report(at("listen"), "expected host:port, such as 127.0.0.1:8080 or :8080")
	}
	c.checkListeners()
	cfg.PublicURL = strings.TrimRight(cfg.PublicURL, "/")
	if cfg.PublicURL != "" && !isBaseURL(cfg.PublicURL) {
		c.report(at("public_url"), badURL)
	}
	if cfg.TLS.CertFile != "" && cfg.TLS.KeyFile == "" {
		c.report(at("tls", "cert_file"), "needs tls.key_file as well")
	}
	if cfg.TLS.KeyFile != "" && cfg.TLS.CertFile == "" {
		c.report(at("tls", "key_file"), "needs tls.cert_file as well")
	}
	c.checkReadable(at("tls", "cert_file"), cfg.TLS.CertFile)
	c.checkReadable(at("tls", "key_file"), cfg.TLS.KeyFile)
	c.checkOneOf(at("log_level"), cfg.LogLevel, "debug", "info", "warn", "error")
	if cfg.LogFormat != "" {
		c.checkOneOf(at("log_format"), cfg.LogFormat, "text", "json")
	}
}

// checkListeners looks at the listeners that an operator may want besides the first.
func (c *checker) checkListeners() {
	cfg, at := c.cfg, manifest.At
	taken := map[string]string{cfg.Listen: "listen"}
	for _, l := range []struct{ section, value, example string }{
		{"console", cfg.Console.Listen, "127.0.0.1:8081"},
		{"metrics", cfg.Metrics.Listen, "127.0.0.1:9090"},
	} {
		switch other := taken[l.value]; {
		case l.value == "":
		case !isListenAddress(l.value):
			c.report(at(l.section, "listen"), "expected host:port, such as %s", l.example)
		case other != "" && !strings.HasSuffix(l.value, ":0"):
			c.report(at(l.section, "listen"), "must differ from %s", other)
		default:
			taken[l.value] = l.section + ".listen"
		}
	}
	cfg.Console.PublicURL = strings.TrimRight(cfg.Console.PublicURL, "/")
	switch u := cfg.Console.PublicURL; {
	case u == "":
	case !isBaseURL(u):
		c.report(at("console", "public_url"), badURL)
	case cfg.Console.Listen == "":
		c.report(at("console", "public_url"), "needs console.listen as well; without it the console is at public_url")
	}
	if t := cfg.Metrics.Token.Reveal(); t != "" && len(t) < 16 {
		c.report(pick(at("metrics", "token"), at("metrics", "token_file"), cfg.Metrics.TokenFile), "must have at least 16 characters; openssl rand -hex 32 makes one")
	}
	if cfg.HSTS < 0 {
		c.report(at("hsts"), "must be 0 or more")
	}
}

func (c *checker) checkPlaces() {
	cfg, at := c.cfg, manifest.At
	if cfg.Data == "" {
		c.report(at("data"), "must not be empty")
	}
	// A URL read from a file is reported at the setting that names the file.
	if u := cfg.DatabaseURL.Reveal(); u != "" && !hasScheme(u, "postgres", "postgresql") {
		c.report(pick(at("database_url"), at("database_url_file"), cfg.DatabaseURLFile),
			"must begin with postgres://; leave it out for SQLite in the data folder")
	}
	if u := cfg.BlobURL.Reveal(); u != "" && !hasScheme(u) {
		c.report(pick(at("blob_url"), at("blob_url_file"), cfg.BlobURLFile),
			"must be a URL such as s3://bucket?endpoint=…; leave it out for the data folder")
	}
	if u := cfg.Audit.URL; u != "" && !hasScheme(u, "http", "https") {
		c.report(at("audit", "url"), badURL)
	}
	if cfg.Audit.Token != "" && cfg.Audit.URL == "" {
		c.report(pick(at("audit", "token"), at("audit", "token_file"), cfg.Audit.TokenFile), "needs audit.url as well")
	}
	c.checkMail()
	c.checkTelemetry()
	if cfg.Retention.Audit < 0 {
		c.report(at("retention", "audit"), "must be 0 or more; 0 keeps the audit log for ever")
	}
	c.checkReadable(at("master_key_file"), cfg.MasterKeyFile)
	c.checkReadable(at("egress", "ca_file"), cfg.Egress.CAFile)
}

func (c *checker) checkMail() {
	m, at := c.cfg.Mail, manifest.At
	url := pick(at("mail", "url"), at("mail", "url_file"), m.URLFile)
	if u := m.URL.Reveal(); u != "" && !hasScheme(u, "smtp", "smtps") {
		c.report(url, "must be a URL such as smtps://user:password@smtp.example.com")
	}
	switch _, err := mail.ParseAddress(m.From); {
	case m.On() && m.From == "":
		c.report(url, "needs mail.from as well")
	case !m.On() && m.From != "":
		c.report(at("mail", "from"), "needs mail.url as well")
	case m.From != "" && err != nil:
		c.report(at("mail", "from"), "expected an e-mail address, such as Stele <stele@example.com>")
	}
}

func pick(value, file manifest.Path, fileName string) manifest.Path {
	if fileName != "" {
		return file
	}
	return value
}

func (c *checker) checkAdmin() {
	a, at := c.cfg.Admin, manifest.At
	if a.Email != "" {
		if parsed, err := mail.ParseAddress(a.Email); err != nil || parsed.Address != a.Email {
			c.report(at("admin", "email"), "expected an e-mail address")
		}
		if a.PasswordFile == "" {
			c.report(at("admin", "email"), "needs admin.password_file (STELE_ADMIN_PASSWORD_FILE) as well")
		}
	}
	if a.PasswordFile != "" && a.Email == "" {
		c.report(at("admin", "password_file"), "needs admin.email (STELE_ADMIN_EMAIL) as well")
	}
}

func (c *checker) checkAmounts() {
	cfg, at := c.cfg, manifest.At
	l, r := cfg.Limits, cfg.Retention
	for _, amount := range []struct {
		path     manifest.Path
		positive bool
	}{
		{at("drain"), cfg.Drain > 0},
		{at("stream", "keep_alive"), cfg.Stream.KeepAlive > 0},
		{at("stream", "linger"), cfg.Stream.Linger > 0},
		{at("stream", "kept"), cfg.Stream.Kept > 0},
		{at("retention", "files"), r.Files > 0},
		{at("retention", "outputs"), r.Outputs > 0},
		{at("retention", "requests"), r.Requests > 0},
		{at("retention", "usage"), r.Usage > 0},
		{at("limits", "json_body"), l.JSONBody > 0},
		{at("limits", "image"), l.Image > 0},
		{at("limits", "video"), l.Video > 0},
		{at("limits", "audio"), l.Audio > 0},
		{at("limits", "document"), l.Document > 0},
		{at("limits", "unfinished_generations"), l.UnfinishedGenerations > 0},
		{at("limits", "attachments"), l.Attachments > 0},
		{at("limits", "open_chats"), l.OpenChats > 0},
		{at("limits", "open_waits"), l.OpenWaits > 0},
		{at("limits", "idle_connection"), l.IdleConnection > 0},
		{at("limits", "header_time"), l.HeaderTime > 0},
		{at("limits", "header_size"), l.HeaderSize > 0},
		{at("limits", "headers"), l.Headers > 0},
		{at("limits", "body_stall"), l.BodyStall > 0},
		{at("limits", "body_rate"), l.BodyRate > 0},
		{at("limits", "write_stall"), l.WriteStall > 0},
		{at("files", "url_life"), cfg.Files.URLLife > 0},
		{at("credits_per_usd"), cfg.CreditsPerUSD > 0},
		{at("capture", "budget"), cfg.Capture.Budget > 0},
		{at("capture", "keep"), cfg.Capture.Keep > 0},
	} {
		if !amount.positive {
			c.report(amount.path, "must be more than 0")
		}
	}
	for name, amount := range map[string]int{"connections": l.Connections, "connections_per_address": l.ConnectionsPerAddress} {
		if amount < 0 {
			c.report(at("limits", name), "must be more than 0; leave it out for what suits the machine")
		}
	}
	c.checkMemory()
}

// checkMemory looks at what may be in flight. 0 is not set.
func (c *checker) checkMemory() {
	const least = 16 * manifest.MB
	l := c.cfg.Limits
	for _, m := range []struct {
		name        string
		size, above manifest.Size
		within      string
	}{
		{"memory", l.Memory, 0, ""},
		{"memory_per_workspace", l.MemoryPerWorkspace, l.Memory, "limits.memory"},
		{"memory_per_key", l.MemoryPerKey, l.MemoryPerWorkspace, "limits.memory_per_workspace"},
	} {
		switch {
		case m.size != 0 && m.size < least:
			c.report(manifest.At("limits", m.name), "must be at least %s; leave it out for a size that suits the machine", least)
		case m.above != 0 && m.size > m.above:
			c.report(manifest.At("limits", m.name), "must not be more than %s, which is %s", m.within, m.above)
		}
	}
}

func (c *checker) checkOneOf(path manifest.Path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.report(path, "%q is none of %s%s", value, strings.Join(allowed, ", "), manifest.DidYouMean(value, allowed))
	}
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"stele/internal/manifest"
)

// checkSecrets reads what stands in files of its own.
func (c *checker) checkSecrets() {
	cfg, at := c.cfg, manifest.At
	c.readSecret(at("database_url"), &cfg.DatabaseURL, at("database_url_file"), &cfg.DatabaseURLFile)
	c.readSecret(at("blob_url"), &cfg.BlobURL, at("blob_url_file"), &cfg.BlobURLFile)
	for i := range cfg.Providers {
		p := &cfg.Providers[i]
		provider := at("providers", p.Name)
		c.readSecret(provider.Add("api_key"), &p.APIKey, provider.Add("api_key_file"), &p.APIKeyFile)
	}
	c.readSecret(at("metrics", "token"), &cfg.Metrics.Token, at("metrics", "token_file"), &cfg.Metrics.TokenFile)
	c.readSecret(at("oidc", "client_secret"), &cfg.OIDC.ClientSecret, at("oidc", "client_secret_file"), &cfg.OIDC.ClientSecretFile)
	c.readSecret(at("audit", "token"), &cfg.Audit.Token, at("audit", "token_file"), &cfg.Audit.TokenFile)
	otlp := &cfg.Telemetry.OTLP
	c.readSecret(at("telemetry", "otlp", "headers"), &otlp.Headers, at("telemetry", "otlp", "headers_file"), &otlp.HeadersFile)
	c.readSecret(at("mail", "url"), &cfg.Mail.URL, at("mail", "url_file"), &cfg.Mail.URLFile)
	// A password is only ever read from a file.
	c.readSecret(at("admin", "password"), &cfg.Admin.Password, at("admin", "password_file"), &cfg.Admin.PasswordFile)
}

// readSecret fills a secret from its file. Of the two settings the one that came
// later wins; two of the same source are one too many.
func (c *checker) readSecret(at manifest.Path, value *Secret, atFile manifest.Path, file *string) {
	direct, indirect := c.level(at, *value != ""), c.level(atFile, *file != "")
	switch {
	case indirect == fromNowhere:
		return
	case direct == indirect:
		c.report(atFile, "%s is set as well; only one of them can count", at)
		return
	case direct > indirect:
		*file = ""
		return
	}
	secret, err := readLine(*file)
	if err != nil {
		c.report(atFile, "cannot read %s: %s", *file, reason(err))
	}
	*value = Secret(secret)
}

// readLine returns the only line of a file, without space around it.
func readLine(name string) (string, error) {
	text, err := readText(name)
	line := strings.TrimSpace(text)
	if strings.ContainsAny(line, "\r\n") {
		return "", errors.New("it holds more than one line")
	}
	return line, err
}

// readText returns what is in a file: something, and not too much.
func readText(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > most:
		return "", fmt.Errorf("more than %d bytes", most)
	case len(bytes.TrimSpace(text)) == 0:
		return "", errors.New("it is empty")
	}
	return string(text), nil
}

// checkReadable reports a file that is named and cannot be opened.
func (c *checker) checkReadable(path manifest.Path, name string) {
	if name == "" {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		c.report(path, "cannot read %s: %s", name, reason(err))
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		c.report(path, "cannot read %s: it is a folder", name)
	}
}

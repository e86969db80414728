package provider

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"stele/internal/dialect"
)

// Account is what the operator has at an upstream.
type Account struct {
	Name    string
	Kind    Kind
	BaseURL string // without a slash at the end
	Key     string
	Options map[string]string // by the names in Kind.Options
}

// paths are a kind's own, with the account's options in them; "" is the dialect's.
type paths struct{ whole, stream string }

func (p paths) of(stream bool) string {
	if stream {
		return p.stream
	}
	return p.whole
}

// Open makes the client of an account of any kind, or says what the account
// lacks. The HTTP client must be guard's; credentials are fetched with it too.
func Open(a Account, d dialect.Dialect, client *http.Client) (*Chat, error) {
	c := NewChat(a, d, client)
	options := make(map[string]string, len(a.Options))
	for _, o := range a.Kind.Options {
		value := cmp.Or(a.Options[o.Name], o.Default)
		options[o.Name] = value
	}
	if err := c.sign(options); err != nil {
		return nil, fmt.Errorf("provider %s: %w", a.Name, err)
	}
	if err := c.setAddresses(options); err != nil {
		return nil, fmt.Errorf("provider %s: %w", a.Name, err)
	}
	c.private, c.authors = privateTexts(c.account), c.account.authors()
	for _, o := range a.Kind.Options {
		if (o.Private || o.Secret && !o.Text) && len(options[o.Name]) > 3 {
			c.private = append(c.private, options[o.Name])
		}
	}
	return c, nil
}

// sign finds who signs requests. A key needs no signer.
func (c *Chat) sign(options map[string]string) error {
	if c.account.Key != "" {
		return nil
	}
	switch c.account.Kind.Platform {
	case google:
		g, err := newGoogle(options["service_account"], c.client, time.Now)
		if err != nil {
			return err
		}
		if options["project"] == "" {
			options["project"] = g.project
		}
		c.signer = g
	case amazon:
		if options["access_key_id"] == "" || options["secret_access_key"] == "" {
			return fmt.Errorf("access_key_id and secret_access_key are needed where there is no api_key")
		}
		c.signer = &sigV4{
			id: options["access_key_id"], secret: options["secret_access_key"], session: options["session_token"],
			region: options["region"], service: "bedrock", now: time.Now,
		}
	case noPlatform:
	}
	return nil
}

// setAddresses fills in the addresses.
func (c *Chat) setAddresses(options map[string]string) error {
	kind := &c.account.Kind
	var err error
	if c.account.BaseURL, err = c.account.base(options); err != nil {
		return err
	}
	for _, p := range kind.Paths {
		if p.If != "" && options[p.If] == "" {
			continue
		}
		p.Stream = cmp.Or(p.Stream, p.Whole)
		if c.paths.whole, err = fillIn(p.Whole, options); err != nil {
			return err
		}
		c.paths.stream, err = fillIn(p.Stream, options)
		return err
	}
	return nil
}

var (
	placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)
	fitting     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)
)

// fillIn puts options into an address. The model's name comes later.
func fillIn(address string, options map[string]string) (string, error) {
	var err error
	out := placeholder.ReplaceAllStringFunc(address, func(found string) string {
		name := found[1 : len(found)-1]
		value, known := options[name]
		switch {
		case !known:
			return found
		case value == "":
			err = fmt.Errorf("options.%s is missing", name)
		case !fitting.MatchString(value):
			err = fmt.Errorf("options.%s must be letters, digits and ._:- only", name)
		}
		return url.PathEscape(value)
	})
	return out, err
}

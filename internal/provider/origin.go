package provider

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strings"

	"stele/internal/label"
)

// Origin is where the account's secrets go: scheme, host and port of its base URL
// with the options in it.
func (a Account) Origin() (string, error) {
	options := make(map[string]string, len(a.Kind.Options))
	for _, o := range a.Kind.Options {
		options[o.Name] = o.Default
		if value := a.Options[o.Name]; value != "" {
			options[o.Name] = value
		}
	}
	base, err := a.base(options)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return "", fmt.Errorf("the base URL of %s is no address", a.Name)
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]) // Parse has lowered the scheme
	return u.Scheme + "://" + net.JoinHostPort(label.Lower(u.Hostname()), port), nil
}

// base is the base URL with the options in it.
func (a Account) base(options map[string]string) (string, error) {
	base := cmp.Or(a.BaseURL, a.Kind.BaseURL)
	if place, ok := a.Kind.Places[options["region"]]; ok && base == a.Kind.BaseURL {
		base = place
	}
	for _, end := range a.Kind.Trimmed {
		base = strings.TrimSuffix(base, end)
	}
	return fillIn(base, options)
}

package assembly

import (
	"encoding/json"
	"strings"
	"testing"

	"stele/internal/catalog"
	"stele/internal/provider"
	"stele/internal/supply"
)

func offerAt(t *testing.T, kind, base string, options map[string]string) catalog.StoredRecord {
	t.Helper()
	fields, err := json.Marshal(map[string]any{"kind": kind, "base_url": base, "options": options})
	if err != nil {
		t.Fatal(err)
	}
	return catalog.StoredRecord{Sort: catalog.ProviderRecord, ID: "a", Fields: fields}
}

// For every kind there is, and every option that is part of its address.
func TestAnotherAddressIsAnotherReach(t *testing.T) {
	t.Parallel()
	reachOf := supply.Reach(connector{})
	for _, k := range provider.Kinds() {
		const here = "https://one.example.com/v1"
		was := reachOf(offerAt(t, k.Name, here, nil))
		for _, same := range []string{"https://one.example.com:443/v2", "https://ONE.example.com", "https://one.example.com/v1?x=1"} {
			if got := reachOf(offerAt(t, k.Name, same, nil)); got != was {
				t.Errorf("%s: %s is %q, not %q", k.Name, same, got, was)
			}
		}
		for _, other := range []string{
			"http://one.example.com/v1", "https://one.example.com:8443/v1", "https://two.example.com/v1", "https://one.example.com.evil.net/v1",
			"https://one.example.com@evil.net/v1", "https://evil.net/one.example.com", "https://one.example.com./v1", "https://sub.one.example.com/v1",
			"https://ONE.EXAMPLE.COM.evil.net", "https://xn--one-example-com/v1", "",
		} {
			if got := reachOf(offerAt(t, k.Name, other, nil)); got == was {
				t.Errorf("%s: %s counts as %s", k.Name, other, here)
			}
		}
		for _, o := range k.Options {
			if !strings.Contains(k.BaseURL, "{"+o.Name+"}") {
				continue
			}
			if reachOf(offerAt(t, k.Name, "", map[string]string{o.Name: "us-east-1"})) == reachOf(offerAt(t, k.Name, "", map[string]string{o.Name: "evil"})) {
				t.Errorf("%s: options.%s is part of the address", k.Name, o.Name)
			}
		}
	}
	if a, b := reachOf(offerAt(t, "openai", "https://k.example.com", nil)), reachOf(offerAt(t, "openai", "https://\u212A.example.com", nil)); a == b {
		t.Error("a Kelvin sign is a k")
	}
	if a, b := reachOf(offerAt(t, "openai", "https://x.example.com", nil)), reachOf(offerAt(t, "anthropic", "https://x.example.com", nil)); a == b {
		t.Error("another kind has the same reach")
	}
}

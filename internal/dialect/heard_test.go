package dialect_test

import (
	"net/http"
	"strings"
	"testing"

	"stele/internal/dialect"
)

// TestNoCodecKeepsAKey sends every header that may have one: a request lives as long as its answer is kept, and
// what its codec keeps of the head goes where the request goes.
func TestNoCodecKeepsAKey(t *testing.T) {
	t.Parallel()
	for _, c := range codecs {
		header := http.Header{"Anthropic-Version": {"2023-06-01"}, dialect.Reworded: {"true"}}
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization", "Idempotency-Key"} {
			header.Set(name, "secret")
		}
		req, err := c.DecodeRequest(dialect.Incoming{Model: "m", Header: header, Body: []byte(plain[c.Name()])})
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range req.Origin.Header {
			if strings.Contains(strings.Join(values, " "), "secret") {
				t.Errorf("%s keeps %s", c.Name(), name)
			}
		}
		if len(req.Origin.Header[dialect.Reworded]) == 0 {
			t.Errorf("%s does not hear what the bridge says", c.Name())
		}
	}
}

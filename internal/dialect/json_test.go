package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/dialect"
)

func TestHalfASurrogatePairIsReadAsAReplacement(t *testing.T) {
	t.Parallel()
	for _, from := range []string{O, A, G} {
		ask := strings.Replace(plain[from], "go", `a \ud83d b \ud83d\ude00`, 1)
		for _, to := range []string{O, A, G} {
			want := "a \uFFFD b 😀"
			if from == to {
				want = `a \ud83d b \ud83d\ude00` // its own bytes
			}
			if got := take(t, trip{from: from, to: to, ask: ask}).got().Raw; !strings.Contains(got, want) {
				t.Errorf("%s to %s: %s", from, to, got)
			}
		}
	}
}

func TestBodiesThatReadersDisagreeAboutAreRefused(t *testing.T) {
	t.Parallel()
	for body, why := range map[string]string{
		`{"model":"a","model":"b"}`: "duplicate", `{"x":{"a":1,"a":1}}`: "duplicate", "{\"a\":\"\xff\"}": "UTF-8", "": "empty", "[]": "object",
		`{"a":1`: "JSON", `{"a":"\ud83d","a":"\ud83d"}`: "duplicate",
	} {
		if err := dialect.CheckBody([]byte(body)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want it to say %q", body, err, why)
		}
	}
}

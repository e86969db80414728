package page

import (
	"testing"
	"time"
)

func TestNearPutsTimesInWords(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		0:                         "just now",
		59 * time.Second:          "just now",
		time.Minute:               "a minute ago",
		5 * time.Minute:           "5 minutes ago",
		59 * time.Minute:          "59 minutes ago",
		3 * time.Hour:             "3 hours ago",
		26 * time.Hour:            "26 hours ago",
		6 * Day:                   "6 days ago",
		99 * Day:                  "99 days ago",
		200 * Day:                 "7 months ago",
		800 * Day:                 "2 years ago",
		-time.Second:              "in a second",
		-15 * time.Second:         "in 15 seconds",
		-14500 * time.Millisecond: "in 15 seconds",
		-30 * Day:                 "in 30 days",
		-365 * Day:                "in 12 months",
	} {
		if got := near(age); got != want {
			t.Errorf("near(%s) is %q, want %q", age, got, want)
		}
	}
}

func TestShellWordsStayWords(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"https://example.com/a": "https://example.com/a",
		"a b":                   "'a b'",
		"it's":                  `'it'\''s'`,
		"$(x)":                  "'$(x)'",
		"":                      "''",
	} {
		if got := QuoteShell(s); got != want {
			t.Errorf("QuoteShell(%q) is %s, want %s", s, got, want)
		}
	}
	const want = "curl 'https://example.com/a?b' \\\n  -H \"Authorization: Bearer $STELE_API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"model\": \"it'\\''s\"}'"
	if got := Curl("https://example.com/a?b", `{"model": "it's"}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

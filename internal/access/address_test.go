package access

import (
	"testing"
	"unicode"

	"stele/internal/race"
)

// Two addresses that differ in more than the case of their letters stay two.
func TestAddressesThatDifferStayTwo(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it reads every letter there is")
	for given, want := range map[string]string{
		" Ada@Example.COM ":      "ada@example.com",
		"müller@example.com":     "müller@example.com",
		"MÜLLER@example.com":     "müller@example.com",
		"иван@пример.рф":         "иван@пример.рф",
		"\u212Aim@example.com":   "", // Kelvin sign
		"ada@\u212Aelvin.com":    "",
		"\u0130van@example.com":  "", // İ
		"a\u017Fa@example.com":   "", // long s
		"\uFF41da@example.com":   "", // full-width a
		"\u212Bngstrom@a.com":    "", // Ångström sign
		"\uFB01sh@example.com":   "", // ligature
		"mu\u0308ller@a.com":     "", // u and a mark
		"ada\u200D@example.com":  "", // joiner
		"ada\u00AD@example.com":  "", // soft hyphen
		"ada@example.com\u202E":  "", // turns the direction
		"ada@exa\u3002mple.com":  "ada@exa\u3002mple.com",
		"Ada <ada@example.com>":  "",
		"ada@example.com, b@c.d": "",
		"ada":                    "",
		"":                       "",
	} {
		got, err := normalEmail(given)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", given, got, err, want)
		}
	}
	// No letter outside of ASCII becomes one inside.
	for r := rune(128); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Co, r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C) {
			continue // of private use, or of none yet
		}
		got, err := normalEmail("x" + string(r) + "@example.com")
		if err != nil {
			continue
		}
		for _, c := range []rune(got)[1:2] {
			if c <= unicode.MaxASCII {
				t.Errorf("%U became %q", r, got)
			}
		}
	}
}
